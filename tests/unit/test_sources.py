"""The C that is made from ``task.toml``, and what it takes to make it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.sources import sources, write_sources
from pytest_embedbench.grading.task import (
    ControllerApi,
    Sensor,
    Starter,
    Task,
    load_task,
)

SUITES = Path(__file__).parents[2] / "example_suites"
TASKS = sorted(file.parent for file in SUITES.glob("*/task.toml"))
TANK = load_task(SUITES / "tank_fill_drain" / "task.toml")
GATE = Task(
    name="gate",
    plant="gate",
    brief="BRIEF.md",
    boot_line="DBG BOOTED",
    safe_lines=("ACT MOTOR OFF", "ACT BOLT CLOSED", "DBG STATE SHUT"),
    edit_surface=("src/controller.c", "src/protocol.h"),
    controller=ControllerApi(
        kinds=("LIGHT_RED", "LIGHT_AMBER", "LIGHT_GREEN", "BAD_LIGHT", "BEAM", "BAD"),
        values=("light", "beam_mm"),
        actuators=("motor_on", "bolt_open"),
        serialisers=("motor", "bolt"),
    ),
    starter=Starter(
        states=("SHUT", "OPENING"),
        constants={"LIMIT_MM": "800", "WAIT_MS": "500U"},
        members=("bool is_free", "uint32_t since_ms"),
    ),
    sensors=(
        Sensor(
            line="SENSE LIGHT",
            value="light",
            invalid="BAD_LIGHT",
            words={"RED": "LIGHT_RED", "AMBER": "LIGHT_AMBER", "GREEN": "LIGHT_GREEN"},
        ),
        Sensor(
            line="SENSE BEAM",
            value="beam_mm",
            kind="BEAM",
            invalid="BAD",
            lowest=-5,
            highest=900,
        ),
    ),
)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_what_is_checked_in_is_what_is_made(task: Path) -> None:
    for path, text in sources(load_task(task / "task.toml")).items():
        assert (task / path).read_text() == text, "run: embedbench generate"


def test_three_words_are_a_number() -> None:
    made = sources(GATE)
    assert "    int light;\n    int beam_mm;" in made["src/protocol.h"]
    assert (
        "        input->light = 2;\n        return PROTOCOL_INPUT_LIGHT_GREEN;"
        in (made["src/protocol.c"])
    )
    assert "        input->light = 1;\n        return true;" in made["src/app.c"]


def test_a_range_is_named_with_its_unit() -> None:
    header = sources(GATE)["src/protocol.h"]
    assert "#define PROTOCOL_BEAM_MIN_MM -5\n#define PROTOCOL_BEAM_MAX_MM 900" in header


def test_an_actuators_name_says_what_its_lines_say() -> None:
    made = sources(GATE)["src/protocol.c"]
    assert '"ACT MOTOR ", motor_on ? "ON" : "OFF"' in made
    assert '"ACT BOLT ", bolt_open ? "OPEN" : "CLOSED"' in made


def test_a_starter_has_what_its_task_begins_with() -> None:
    made = sources(GATE)
    header, code = made["src/controller.h"], made["src/controller.c"]
    assert "#define CONTROLLER_LIMIT_MM 800\n#define CONTROLLER_WAIT_MS 500U" in header
    assert "    CONTROLLER_STATE_SHUT = 0,\n    CONTROLLER_STATE_OPENING\n}" in header
    assert "    int light;       /* only for LIGHT_RED or LIGHT_AMBER or" in header
    assert "    bool is_free;\n    uint32_t since_ms;\n} controller_t;" in header
    assert "    output.motor_on = false;\n    output.bolt_open = false;" in code
    assert 'case CONTROLLER_STATE_OPENING:\n        return "STATE OPENING";' in code


def test_a_starter_is_safe_where_that_is_not_off() -> None:
    lines = ("ACT MOTOR OFF", "ACT BOLT OPEN", "DBG STATE SHUT")
    code = sources(replace(GATE, safe_lines=lines))["src/controller.c"]
    assert "    output.motor_on = false;\n    output.bolt_open = true;" in code
    assert "            .bolt_open = true,\n" in code


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"controller": None}, "needs .controller."),
        ({"starter": None}, ".starter."),
        ({"sensors": ()}, "needs .controller."),
        ({"safe_lines": ()}, "task.safe_lines"),
        ({"sensors": (replace(TANK.sensors[0], line="LEVEL"),)}, "'LEVEL'.*two words"),
    ],
)
def test_what_says_too_little_makes_no_c(change: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        sources(replace(TANK, **change))  # type: ignore[arg-type]  # by name


def test_an_actuator_whose_lines_nobody_can_tell_is_refused() -> None:
    assert TANK.controller is not None
    api = replace(TANK.controller, actuators=("pump",))
    with pytest.raises(ConfigError, match=r"'pump'.* end of its name: _on or _open"):
        sources(replace(TANK, controller=api))


def test_only_what_changes_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "task.toml").write_text(
        (SUITES / "tank_fill_drain" / "task.toml").read_text()
    )
    code = main(["generate", str(tmp_path)])
    assert (code, capsys.readouterr().out.count("written")) == (0, 5)
    assert write_sources(TANK, tmp_path) == []
    app = tmp_path / "src" / "app.c"
    app.write_text(app.read_text() + "int more;")
    assert write_sources(TANK, tmp_path) == [app]


def test_a_file_that_is_its_authors_is_left_alone(tmp_path: Path) -> None:
    write_sources(TANK, tmp_path)
    starter = tmp_path / "src" / "controller.c"
    starter.write_text("int mine;")
    assert write_sources(TANK, tmp_path) == []
    assert starter.read_text() == "int mine;"


@pytest.mark.parametrize("command", ["generate", "mutate"])
def test_a_folder_that_is_no_task_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (tmp_path / "file").touch()
    for name, why in (
        ("nix", "no such folder"),
        ("file", "no such folder"),
        (".", "it has no task.toml"),
    ):
        assert main([command, str(tmp_path / name)]) != 0
        assert f"{tmp_path / name}: is no task: {why}" in capsys.readouterr().err
