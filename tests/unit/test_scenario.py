"""Scenarios as TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.scenario import Injection, PlantEvent, load_scenarios
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
[plain]
max_steps = 3

[door]
description = "the door opens while it pumps"
initial = { pressure_kpa = 25 }
max_steps = 18
frames = { until_ms = 300 }
inject = [{ at_ms = 100, line = "SENSE DOOR AJAR" }]
events = [{ at_ms = 300, set = { door_closed = false } }]

[once]
max_steps = 1
frames = "once"

[blind]
max_steps = 1
frames = { "SENSE TEMP" = { until_ms = 300 }, "SENSE LEVEL" = "once" }
"""


def test_a_scenario_is_read_from_its_table(tmp_path: Path) -> None:
    file = tmp_path / "scenarios.toml"
    file.write_text(WHOLE)
    scenarios = load_scenarios(file)
    assert list(scenarios) == ["plain", "door", "once", "blind"]
    assert scenarios["plain"].frames_until_ms is None
    assert scenarios["once"].frames_until_ms == 0
    assert scenarios["blind"].frames_until_ms is None
    assert scenarios["blind"].streams_until_ms == {"SENSE TEMP": 300, "SENSE LEVEL": 0}
    door = scenarios["door"]
    assert (door.name, door.max_steps, door.frames_until_ms) == ("door", 18, 300)
    assert door.initial == {"pressure_kpa": 25}
    assert door.inject == (Injection(at_ms=100, line="SENSE DOOR AJAR"),)
    assert door.events == (PlantEvent(at_ms=300, changes={"door_closed": False}),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a]\n", "a.max_steps: missing"),
        ("a = 1\n", "a: must be a table"),
        ("[a]\nmax_steps = true\n", "a.max_steps: must be a whole number"),
        ("[a]\nmax_steps = 1\nmaxsteps = 2\n", "a.maxsteps: unknown key"),
        ("[a]\nmax_steps = 1\nframes = 'never'\n", 'a.frames: must be "always"'),
        ("[a]\nmax_steps = 1\nframes = 1\n", 'a.frames: must be "always"'),
        (
            "[a]\nmax_steps = 1\nframes = { until_ms = 1, X = 'once' }\n",
            "a.frames.X: unknown key",
        ),
        (
            "[a]\nmax_steps = 1\nframes = { 'SENSE X' = { until = 1 } }\n",
            'a.frames."SENSE X".until: unknown key',
        ),
        ("[a]\nmax_steps = 1\ninject = [{ at_ms = 1 }]\n", "a.inject[0].line: missing"),
        ("[a]\nmax_steps = 1\ninject = [7]\n", "a.inject[0]: must be a table"),
        (
            "[a]\nmax_steps = 1\nevents = [{ at_ms = 1, set = { x = 'y' } }]\n",
            "a.events[0].set.x: must be a whole number or a boolean",
        ),
        ("[a]\nmax_steps = 1\ninitial = { level = 1.5 }\n", "a.initial.level: must be"),
        ("[a]\nmax_steps = 0\n", "a.max_steps: must be 1 or more, is 0"),
        (
            "[a]\nmax_steps = 1\nframes = { until_ms = -1 }\n",
            "a.frames.until_ms: must be 0 or more, is -1",
        ),
        (
            "[a]\nmax_steps = 1\ninject = [{ at_ms = -1, line = 'X' }]\n",
            "a.inject[0].at_ms: must be 0 or more, is -1",
        ),
        (
            "[a]\nmax_steps = 1\nevents = [{ at_ms = -1, set = { x = 1 } }]\n",
            "a.events[0].at_ms: must be 0 or more, is -1",
        ),
        ("max_steps = \n", "not a readable TOML file"),
    ],
)
def test_a_mistake_is_named_by_file_and_key(
    text: str, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "scenarios.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_scenarios(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert complaint in str(caught.value)
