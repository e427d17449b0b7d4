"""Checks that many tasks have in common, made into tests of one task each.

A suite's module says which of its brief's sentences each of them enforces::

    test_any_other_line_is_ignored = line_checks.ignored("L6")

The name is the suite's, and so is whatever the check is told of its plant. What is
returned is a test like any other, to be collected where it stands.
"""

from pytest_embedbench.grading.checks.shared import (
    answer_checks as answer_checks,
    history_checks as history_checks,
    line_checks as line_checks,
    loop_checks as loop_checks,
    paper_checks as paper_checks,
    reading_checks as reading_checks,
    step_checks as step_checks,
    tolerance_checks as tolerance_checks,
)
