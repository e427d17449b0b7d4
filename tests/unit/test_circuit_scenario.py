"""What a scenario file may say, by docs.wokwi.com/wokwi-ci/automation-scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_embedbench.circuits.scenario import is_scenario, read_scenario
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
        (scenario({"touch": {"part-id": "a", "x": 1}}), "x and y must be numbers"),
        (
            scenario({"touch": {"part-id": "a", "x": 1, "y": 2, "duration": 50}}),
            "50 is no duration",
        ),
        (scenario({"expect-chip-output": "x"}), "custom chips run in Wokwi's cloud"),
        (scenario({"name": "only"}), "must be one command, is: name"),
    ],
)
def test_what_is_wrong_is_told_with_its_step(
    document: dict[str, Any], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        read_scenario(document, "a")


@pytest.mark.parametrize(
    ("text", "lasts_ns"),
    [("10ns", 10), ("1us", 1_000), ("500ms", 500_000_000), ("0.25s", 250_000_000)],
)
def test_a_duration_has_its_unit(text: str, lasts_ns: int) -> None:
    assert duration_ns(text) == lasts_ns


@pytest.mark.parametrize("document", [None, [], "steps", {"steps": []}, {"version": 1}])
def test_other_documents_are_none(document: object) -> None:
    assert not is_scenario(document)
