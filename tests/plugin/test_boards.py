"""Choosing boards, and what happens when one is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

HELLO = """
def test_hello(bench):
    bench.wait_for_boot()
"""


def test_a_test_runs_once_per_board(suite: Suite) -> None:
    suite.board("other", (suite.root / "thirdparty/boards/lab.toml").read_text())
    suite.test(HELLO)
    result = suite.run("-v", "--board=other")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_hello[[]lab]*", "*test_hello[[]other]*"])


def test_without_a_board_it_is_a_usage_error_that_lists_them(suite: Suite) -> None:
    suite.test(HELLO)
    result = suite.run(board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *add --board=NAME*known boards:*lab*"])


def test_without_a_board_it_is_a_usage_error_under_xdist_too(suite: Suite) -> None:
    suite.test(HELLO)
    result = suite.run("-n", "2", board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *add --board=NAME*known boards:*lab*"])


def test_tests_can_be_listed_without_a_board(suite: Suite) -> None:
    suite.test(HELLO)
    assert suite.run("--collect-only", board="").ret == pytest.ExitCode.OK


def test_tests_that_need_no_board_run_without_one(suite: Suite) -> None:
    suite.test("def test_plain():\n    pass\n" + HELLO)
    suite.run("-k", "plain", board="").assert_outcomes(passed=1, deselected=1)


def test_an_unknown_board_lists_the_known_ones(suite: Suite) -> None:
    suite.test(HELLO)
    result = suite.run(board="lba")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: no board named 'lba'; known boards:*lab*"])


def test_a_broken_datasheet_names_file_and_key(suite: Suite) -> None:
    suite.board("bad", 'engine = "lab"\nmcu = 5\n')
    suite.test(HELLO)
    result = suite.run(board="bad")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *bad.toml: cpu_hz: missing"])


def test_an_engine_that_is_not_installed_skips_with_the_advice(suite: Suite) -> None:
    suite.board("absent")
    suite.test(HELLO)
    result = suite.run("-rs", board="absent")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*not installed: lab needs the crane*buy a crane*"])
    result.stdout.fnmatch_lines(
        ["*embedbench: nothing ran on absent: not installed: *"]
    )


@pytest.mark.parametrize("name", ["absent", "lab", "all"])
def test_a_required_engine_that_is_absent_is_an_error(suite: Suite, name: str) -> None:
    suite.board("absent")
    suite.test(HELLO)
    result = suite.run(f"--embedbench-require={name}", board="absent")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*required here*the crane*buy a crane*"])
    result.stdout.fnmatch_lines(["*embedbench: 1 x bench fault*"])


def test_requiring_what_nobody_knows_is_a_usage_error(suite: Suite) -> None:
    suite.test(HELLO)
    result = suite.run("--embedbench-require=simavrr")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *--embedbench-require*'simavrr'*known*lab*"])


def test_a_test_that_needs_exact_time_skips_where_there_is_none(suite: Suite) -> None:
    suite.board("blind")
    suite.test(
        "import pytest\n@pytest.mark.needs('virtual-time')\ndef test_it(bench): pass\n"
    )
    result = suite.run("-rs", board="blind")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*blind lacks virtual-time*"])


def test_a_capability_that_does_not_exist_is_an_error(suite: Suite) -> None:
    suite.test(
        "import pytest\n@pytest.mark.needs('step-tmie')\ndef test_it(bench): pass\n"
    )
    result = suite.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'step-tmie'*virtual-time*"])


def test_boot_takes_any_board_by_name(suite: Suite) -> None:
    suite.test(
        "def test_it(boot, make_bench):\n"
        "    make_bench(boot('lab')).wait_for_boot()\n"
        "    make_bench(boot('lab')).wait_for_boot()\n"
    )
    suite.run(board="").assert_outcomes(passed=1)


def test_an_unknown_plant_lists_the_known_ones(suite: Suite) -> None:
    suite.test("def test_it(plant):\n    plant('tnak')\n")
    result = suite.run(board="")
    result.stdout.fnmatch_lines(["*no plant named 'tnak'; known plants:*tank*"])


def test_a_parameter_that_the_plant_lacks_is_named(suite: Suite) -> None:
    suite.test("def test_it(plant):\n    plant('tank_fill_drain', depth=3)\n")
    result = suite.run(board="")
    result.stdout.fnmatch_lines(["*plant 'tank_fill_drain'*'depth'*"])


def test_the_header_says_what_runs_and_where_files_go(suite: Suite) -> None:
    suite.test(HELLO)
    result = suite.run()
    result.stdout.fnmatch_lines(
        [
            "embedbench boards: lab (lab, python); required: none",
            "embedbench engines: lab: lab engine 1",
            "embedbench builds: lab builder 1; images: */cache",
            "embedbench artifacts: */.embedbench/runs/* (a transcript.log per test*",
        ]
    )


def test_a_builder_that_does_not_answer_is_told_in_the_header(
    suite: Suite, tmp_path: Path
) -> None:
    pio = tmp_path / "pio"
    pio.write_text("#!/bin/sh\necho out of order >&2\nexit 3\n")
    pio.chmod(0o755)
    suite.test(HELLO)
    result = suite.run("--embedbench-builder=platformio", f"--embedbench-pio={pio}")
    result.stdout.fnmatch_lines(["embedbench builds: broken: PlatformIO does not *"])
    assert "INTERNALERROR" not in result.stdout.str()


def test_a_board_of_an_unknown_engine_is_a_usage_error(suite: Suite) -> None:
    sheet = (suite.root / "thirdparty/boards/lab.toml").read_text()
    suite.board("odd", sheet.replace('engine = "lab"', 'engine = "lba"'))
    suite.test(HELLO)
    result = suite.run(board="odd")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: board 'odd': engine = 'lba': no such engine*"])


@pytest.mark.parametrize("look", ["--fixtures", "--fixtures-per-test"])
def test_looking_at_fixtures_needs_no_board(suite: Suite, look: str) -> None:
    suite.test(HELLO)
    result = suite.run(look, board="")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["bench*"])


SHOW_OPTIONS = """
def test_it(board_spec):
    print("options", dict(board_spec.options))
"""


def test_an_option_of_a_board_can_be_set_from_outside(suite: Suite) -> None:
    suite.test(SHOW_OPTIONS)
    result = suite.run(
        "-s",
        "--embedbench-option=lab.depth=0x10",
        "--embedbench-option=lab.deep=true",
        "--embedbench-option=lab.path=/a=b",
        "--embedbench-option=native.depth=1",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "embedbench options: lab.depth=16 lab.deep=True lab.path=/a=b *",
            "*options {'depth': 16, 'deep': True, 'path': '/a=b'}*",
        ]
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("lba.depth=1", "ERROR: *--embedbench-option: 'lba' is no board*known*lab*"),
        ("lab.depth", "ERROR: *--embedbench-option: 'lab.depth': must be NAME.KEY=*"),
    ],
)
def test_an_option_of_nothing_is_a_usage_error(
    suite: Suite, option: str, said: str
) -> None:
    suite.test(SHOW_OPTIONS)
    result = suite.run(f"--embedbench-option={option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_a_test_may_have_a_real_board_wiped_first(suite: Suite) -> None:
    text = (suite.root / "thirdparty/boards/lab.toml").read_text()
    suite.board("flashed", text + "[options]\nflash_method = 'esptool'\n")
    suite.test(
        "import pytest\n"
        "@pytest.mark.erase('nvs')\n"
        "def test_fresh(board):\n"
        "    wiped = {'flashed': 'nvs'}.get(board.spec.name)\n"
        "    assert board.spec.options.get('erase') == wiped\n"
        "def test_as_it_is(board):\n"
        "    assert 'erase' not in board.spec.options\n"
    )
    suite.run("--board=flashed").assert_outcomes(passed=4)


def test_a_board_asked_for_too_late_is_told_how(suite: Suite) -> None:
    suite.test("def test_it(request):\n    request.getfixturevalue('bench')\n")
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ask for the board in the signature*"])


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("cpu_hz = 0", "cpu_hz"),
        ("cpu_hz = 16_000_000_000_000", "cpu_hz"),
        ("baud_bps = 0", "uarts.uart0.baud_bps"),
        ("baud_bps = -9600", "uarts.uart0.baud_bps"),
    ],
)
def test_a_number_out_of_range_names_file_and_key(
    suite: Suite, line: str, key: str
) -> None:
    name = line.partition(" ")[0]
    sane = (suite.root / "thirdparty/boards/lab.toml").read_text()
    (old,) = (row for row in sane.splitlines() if row.startswith(name))
    suite.board("bad", sane.replace(old, line))
    suite.test(HELLO)
    result = suite.run(board="bad")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *bad.toml: {key}: must be from *"])


@pytest.mark.parametrize("option", ["artifacts", "cache"])
def test_a_place_that_cannot_be_written_is_one_clear_bench_fault(
    suite: Suite, option: str
) -> None:
    (suite.root / "occupied").write_text("a file")
    suite.test(HELLO)
    result = suite.run(f"--embedbench-{option}={suite.root / 'occupied'}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*choose another place with --embedbench-{option}*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_second_bench_on_one_board_is_not_the_firmwares_fault(suite: Suite) -> None:
    suite.test(
        "def test_it(bench, board, make_bench):\n"
        "    bench.wait_for_boot()\n"
        "    make_bench(board).wait_for_boot()\n"
    )
    result = suite.run()
    result.stdout.fnmatch_lines(
        ["*the lab has a bench already, in *", "embedbench: 1 x bench fault"]
    )
