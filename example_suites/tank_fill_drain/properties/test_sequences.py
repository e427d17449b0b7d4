"""What no list of cases has: any lines, at any time. See docs/properties.md.

pytest --board=native --board=uno properties/ --embedbench-firmware=solution
"""

from pathlib import Path

from pytest_embedbench.grading.checks import (
    check_against,
    difference,
    firmware_sequences,
    given_examples,
    host_rows,
    load_task,
)

TANK = load_task(Path(__file__).parents[1] / "task.toml")


@given_examples(count=20, sequence=firmware_sequences(TANK))
def test_the_firmware_does_what_the_brief_says(fresh_board, judge, sequence):
    check_against(judge, fresh_board(), sequence)


@given_examples(count=200, sequence=firmware_sequences(TANK, max_ms=10_000))
def test_the_controller_does_what_the_brief_says(controller, judge, sequence):
    controller.restart()
    wrong = difference(controller, judge.make_oracle(), host_rows(sequence, TANK))
    assert not wrong, wrong
