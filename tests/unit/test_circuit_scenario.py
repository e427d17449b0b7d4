"""What a scenario file may say, by docs.wokwi.com/wokwi-ci/automation-scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_embedbench.circuits.scenario import is_scenario, read_scenario
from pytest_embedbench.circuits.scenario_text import read_yaml
from pytest_embedbench.circuits.scenario_values import duration_ns
from pytest_embedbench.errors import ConfigError


def scenario(*steps: object, **keys: object) -> dict[str, Any]:
    return {"version": 1, "name": "it", "steps": list(steps), **keys}


def test_steps_are_read_in_their_order() -> None:
    read = read_scenario(
        scenario({"delay": "1.5s"}, {"wait-serial": "up"}, {"write-serial": [1, 255]}),
        "a.test.yaml",
    )
    assert [(it.number, it.command) for it in read.steps] == [
        (1, "delay"),
        (2, "wait-serial"),
        (3, "write-serial"),
    ]
    assert (read.name, read.file) == ("it", "a.test.yaml")


def test_a_name_may_be_empty() -> None:
    read = read_scenario(scenario({"name": None, "delay": "1ms"}, name=None), "a")
    assert (read.name, read.steps[0].where) == ("", "step 1 (delay)")


def test_a_step_may_have_a_name() -> None:
    step = read_scenario(scenario({"name": "press", "delay": "1ms"}), "a").steps[0]
    assert (step.command, step.value) == ("delay", 1_000_000)
    assert step.where == "step 1 (delay, 'press')"


@pytest.mark.parametrize("name", ["name", "control"])
def test_a_control_goes_by_both_of_its_keys(name: str) -> None:
    step = {"set-control": {"part-id": "b1", name: "pressed", "value": 1}}
    assert read_scenario(scenario(step), "a").steps[0].command == "set-control"


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (scenario(version=2), "a: version: must be 1, is 2"),
        (scenario(verison=1), "a: nobody reads verison"),
        (scenario() | {"steps": "delay"}, "a: steps: must be a list, is 'delay'"),
        (
            scenario({"delay": "1s", "wait-serial": "x"}),
            "a: step 1: must be one command, is: delay, wait-serial",
        ),
        (scenario("delay"), "a: step 1: must be one command, is: 'delay'"),
        (
            scenario({"wait-serail": "x"}),
            "a: step 1: no command 'wait-serail'; do you mean 'wait-serial'?",
        ),
        (scenario({"delay": 500}), "a: step 1 \\(delay\\): 500 is no duration"),
        (scenario({"write-serial": [1, 256]}), "must be text or a list of bytes"),
        (scenario({"write-serial": True}), "must be text, is True"),
        (
            scenario({"expect-pin": {"part-id": "u", "pin": "1", "expected": 1}}),
            "must have part-id, name and value",
        ),
        (
            scenario({"set-control": {"part-id": "b", "name": "p", "value": "on"}}),
            "value must be a number, is 'on'",
        ),
        (
            scenario({"expect-pin": {"part-id": "b", "name": "p", "value": 3}}),
            "value must be 0 or 1, is 3",
        ),
        (scenario({"take-screenshot": {}}), "must have save-to or compare-with"),
        (
            scenario({"take-screenshot": {"save-to": "a.png"}}),
            "must have part-id, the id of a part",
        ),
        (
            scenario({"take-screenshot": {"part-id": "a", "save": "a.png"}}),
            "must have part-id, and nobody reads save",
        ),
        (scenario({"touch": {"part-id": "a", "x": 1}}), "y must be a number, is None"),
        (
            scenario({"touch": {"part-id": "a", "x": 1, "y": 2, "duration": 50}}),
            "50 is no duration",
        ),
        (scenario({"expect-chip-output": "x"}), "custom chips run in Wokwi's cloud"),
        (scenario({"name": "only"}), "must be one command, is: name"),
        (scenario({}), "must be one command, is: nothing"),
        (scenario(version=True), "a: version: must be 1, is True"),
        (scenario(name=["x"]), "a: name: must be text, is \\['x'\\]"),
        (scenario({"name": {}, "delay": "1s"}), "a: step 1: name: must be text"),
        (scenario({"delay": "9" * 5_000 + "s"}), "is too long: a year at most"),
        (scenario({"wait-serial": "\ud800"}), "has half a character in it"),
        (
            scenario({"set-control": {"part-id": "b", "name": "p", "value": 10**400}}),
            "value is too large",
        ),
        (
            scenario(
                {
                    "set-control": {
                        "part-id": "b",
                        "name": "p",
                        "control": "p",
                        "value": 1,
                    }
                }
            ),
            "name and control are the same: leave one out",
        ),
        (
            scenario({"expect-pin": {"part-id": "b", "pin": "p", "expected": 1}}),
            "nobody reads expected; the key is value",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_step(
    document: dict[str, Any], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        read_scenario(document, "a")


@pytest.mark.parametrize(
    ("text", "lasts_ns"),
    [
        ("10ns", 10),
        ("1us", 1_000),
        ("500ms", 500_000_000),
        ("0.25s", 250_000_000),
        (" 2. MS ", 2_000_000),
        ("0", 0),
    ],
)
def test_a_duration_is_read_as_by_wokwi_cli(text: str, lasts_ns: int) -> None:
    assert duration_ns(text) == lasts_ns


@pytest.mark.parametrize("document", [None, [], "steps", {"steps": []}, {"version": 1}])
def test_other_documents_are_none(document: object) -> None:
    assert not is_scenario(document)


def read(text: str | bytes) -> object:
    return read_yaml(text.encode() if isinstance(text, str) else text, "a.test.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("No", "No"),
        ("12:30", "12:30"),
        ("0777", 777),
        ("1_000", "1_000"),
        ("2020-01-01", "2020-01-01"),
        ("0x74", 0x74),
        ("-3", -3),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-.inf", float("-inf")),
        ("True", True),
        ("~", None),
        ("", None),
        ("= 5", "= 5"),
        ('"on"', "on"),
        ("<<", "<<"),
    ],
)
def test_values_are_those_of_yaml_1_2(text: str, value: object) -> None:
    assert read(f"it: {text}\n") == {"it": value}


def test_files_come_from_any_editor() -> None:
    wanted = {"version": 1, "steps": [{"delay": "1s"}]}
    text = "version: 1\r\nsteps:\r\n  - delay: 1s\r\n"
    assert read(text) == wanted
    assert read(text.encode("utf-8-sig")) == wanted
    assert read(text.encode("utf-16")) == wanted
    assert read(f"---\n{text}...\n") == wanted


def test_anchors_and_merges_are_taken() -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: *a\n"
    assert read(text) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 2},
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("steps:\n\t- delay: 1s\n", "a.test.yaml:2: no YAML: found character '\\\\t'"),
        ("steps: [\n", "a.test.yaml:2: no YAML: expected the node content"),
        (
            "steps: 1\nsteps: 2\n",
            "a.test.yaml:2: no YAML: the key 'steps' is there twice",
        ),
        ("a:\n  - delay: 1s\n    delay: 2s\n", ":3: no YAML: the key 'delay' is there"),
        ("a: 1\n---\na: 2\n", "a.test.yaml:2: no YAML: but found another document"),
        ("a: !!python/name:os.system\n", ":1: no YAML: could not determine a constr"),
        ("? [a, b]\n: 1\n", "a.test.yaml:1: no YAML: found unhashable key"),
        (
            "a: gr\xfc\xdf".encode("latin-1"),
            "a.test.yaml: no YAML: unacceptable character #x00fc: invalid start byte",
        ),
        ("a: \x00\n", "a.test.yaml: no YAML: unacceptable character #x0000"),
        ("a: " + "9" * 5000, "a.test.yaml: no YAML: Exceeds the limit"),
        ("a: " + "[" * 3000 + "]" * 3000, "a.test.yaml: no YAML of ours: too deep"),
    ],
)
def test_what_is_no_yaml_is_told_with_its_line(text: str | bytes, told: str) -> None:
    with pytest.raises(ConfigError, match=f"{told}"):
        read(text)


def test_a_message_quotes_no_more_than_it_needs() -> None:
    deep: list[object] = ["x"] * 9
    for _ in range(30):
        deep = [deep] * 9
    with pytest.raises(ConfigError) as caught:
        read_scenario(scenario(deep), "a")
    assert len(str(caught.value)) < 2_000
