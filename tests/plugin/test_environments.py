"""The header says which environment is built where a board does not know it by name."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import WITHOUT

TWO = "[env:a]\nboard = uno\n[env:b]\nboard = uno\n"


def header(pytester: pytest.Pytester, *args: str) -> str:
    pytester.makepyfile("def test_it(board): pass")
    result = pytester.runpytest_inprocess(
        "--board=uno", "--collect-only", *WITHOUT, *args
    )
    return next((line for line in result.outlines if "environments:" in line), "")


@pytest.mark.parametrize(
    ("ini", "args", "said"),
    [
        ("[env:uno]\n", [], ""),
        ("[env:mine]\nboard = uno\n", [], "uno: mine"),
        (TWO, [], "uno: a (also for it: b)"),
        (f"[platformio]\ndefault_envs = b\n{TWO}", [], "uno: b (also for it: a)"),
        (TWO, ["--embedbench-environment=uno=b"], "uno: b (also for it: a)"),
        ("[env:other]\n", [], ""),
    ],
)
def test_the_header_names_what_was_chosen(
    pytester: pytest.Pytester, ini: str, args: list[str], said: str
) -> None:
    (pytester.path / "platformio.ini").write_text(ini)
    expected = f"embedbench environments: {said}" if said else ""
    assert header(pytester, *args) == expected


def test_an_environment_for_a_board_that_is_none_ends_the_run(
    pytester: pytest.Pytester,
) -> None:
    result = pytester.runpytest_inprocess(
        "--board=uno", "--embedbench-environment=unoo=a", *WITHOUT
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--embedbench-environment: 'unoo' is no board*"])
