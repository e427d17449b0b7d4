"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.evaluation.oracle import difference, walk

pytestmark = pytest.mark.profile("full")

OFF = {"lamp_on": False, "state": "SAFE_OFF"}
LIT = {"lamp_on": True, "state": "LIT"}
DARK = {"lamp_on": False, "state": "DARK"}
ON = ("LIGHT", 100, 20)
"""Switches the lamp on at 100 ms."""


@pytest.mark.brief("R1")
def test_the_lamp_is_off_at_the_start(controller):
    for now_ms in range(50, 3000, 50):
        controller.expect(("NONE", now_ms), **OFF)


@pytest.mark.brief("R2")
@pytest.mark.parametrize("light_pct", [0, 28, 29])
def test_darkness_switches_the_lamp_on(controller, light_pct):
    controller.expect(("LIGHT", 100, light_pct), **LIT)


@pytest.mark.brief("R2", "R3")
@pytest.mark.parametrize("light_pct", [61, 62, 100])
def test_brightness_switches_the_lamp_off(controller, light_pct):
    controller.expect(ON, ("LIGHT", 200, light_pct), **DARK)


@pytest.mark.brief("R1", "R2", "R4")
@pytest.mark.parametrize("light_pct", [30, 31, 59, 60])
def test_anything_between_changes_nothing(controller, light_pct):
    controller.expect(("LIGHT", 50, light_pct), **OFF)
    controller.expect(ON, ("LIGHT", 200, light_pct), **LIT)


@pytest.mark.brief("R5", "R6")
@pytest.mark.parametrize("kind", ["INVALID_LIGHT", "SENSOR_TIMEOUT"])
def test_a_bad_line_switches_the_lamp_off(controller, kind):
    controller.expect(ON, (kind, 200), **OFF)
    controller.expect(("LIGHT", 300, 30), **OFF)


@pytest.mark.brief("R7")
def test_a_brightness_counts_for_exactly_1000_ms(controller):
    controller.expect(ON, ("NONE", 1100), **LIT)
    controller.expect(("NONE", 1101), **OFF)


@pytest.mark.brief("R8")
def test_changed_is_said_of_going_stale_and_of_nothing_else(controller):
    controller.run([ON])
    stamps = range(150, 3000, 50)
    outputs = controller.run(("NONE", now_ms) for now_ms in stamps)
    changed = [at for at, out in zip(stamps, outputs, strict=True) if out.changed]
    assert changed == [1150]


@pytest.mark.brief("L1")
@pytest.mark.parametrize("light_pct", [0, 7, 100])
def test_a_brightness_is_read(protocol, light_pct):
    parsed = protocol.parse(f"SENSE LIGHT {light_pct}")
    assert (parsed.result, parsed.light_pct) == ("LIGHT", light_pct)


@pytest.mark.brief("L2")
@pytest.mark.parametrize("rest", ["", " -1", " 101", " banana", " 20 5"])
def test_a_malformed_brightness_is_told_apart(protocol, rest):
    assert protocol.parse(f"SENSE LIGHT{rest}").result == "INVALID_LIGHT"


@pytest.mark.brief("L3", "L4")
@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("FAULT SENSOR_TIMEOUT", "SENSOR_TIMEOUT"),
        ("FAULT SENSOR_TIMEOUT 1", "IGNORED"),
        ("SENSE NOISE 20", "IGNORED"),
        ("", "IGNORED"),
    ],
)
def test_other_lines(protocol, line, result):
    assert protocol.parse(line).result == result


@pytest.mark.brief("L5")
@pytest.mark.parametrize("on", [True, False])
def test_the_lamp_line_is_written(protocol, on):
    assert protocol.serialise("lamp", on=on) == f"ACT LAMP {'ON' if on else 'OFF'}\n"


PARTS = (
    *([("LIGHT", 100, light_pct)] for light_pct in (29, 30, 60, 61)),
    [("INVALID_LIGHT", 50, 20)],
    [("SENSOR_TIMEOUT", 50, 20)],
    *([("NONE", after_ms)] for after_ms in (0, 500, 1000, 1001)),
)


@pytest.mark.brief(*(f"R{number}" for number in range(1, 9)))
def test_any_three_things_in_a_row_go_as_the_brief_says(controller, oracle):
    wrong = difference(controller, oracle, walk(PARTS, in_a_row=3))
    assert not wrong, wrong
