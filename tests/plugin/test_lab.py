"""Real boards as a user has them: a lab file, workers, and things that go wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from tests.plugin.conftest import WITHOUT
from tests.support.pty_board import Pty, PtyBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import LoopbackUart
    from tests.plugin.conftest import Suite

KIND = """\
engine = "serial"
mcu = "any"
cpu_hz = 1
environments = ["lab"]
[uarts.uart0]
baud_bps = 115_200
"""

TURNS = """
import pytest

@pytest.mark.parametrize("turn", range(COUNT))
def test_it(bench, turn):
    bench.send(f"BEGIN {turn}")
    bench.expect(f"^BEGUN {turn}$", within_ms=5000, forbid="CLASH")
    for ping in range(3):
        bench.send(f"PING {ping}")
        bench.expect(f"^PONG {turn} {ping}$", within_ms=5000, forbid="CLASH")
    bench.send("END")
    bench.expect(f"^ENDED {turn}$", within_ms=5000)
"""

COUNTING = """
import pytest

@pytest.mark.parametrize("turn", range(2))
def test_it(bench, turn):
    bench.send("COUNT 1000")
    bench.expect("^999$", within_ms=10_000)
    heard = bench.uart.heard()
    assert heard == [str(number) for number in range(1000)]
"""


def one_at_a_time(uart: LoopbackUart) -> Generator[int, None, None]:
    """Serve one test from BEGIN to END, and complain if another one begins."""
    turn, pending = "", b""
    while True:
        *lines, pending = (pending + uart.read()).split(b"\n")
        for line in lines:
            match line.decode().split():
                case "BEGIN", new:
                    uart.write(f"CLASH {turn}\n".encode() if turn else b"")
                    turn = new
                    uart.write(f"BEGUN {turn}\n".encode())
                case "PING", ping:
                    uart.write(f"PONG {turn} {ping}\n".encode())
                case "END", *_:
                    uart.write(f"ENDED {turn}\n".encode())
                    turn = ""
                case "COUNT", count:
                    for number in range(int(count)):
                        uart.write(b"%d\n" % number)
                case _:
                    uart.write(b"WHAT?\n")
        yield 1


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def ports() -> Iterator[Callable[[int], list[str]]]:
    """Return a function that plugs in so many boards."""
    with ExitStack() as plugged:

        def plug(count: int) -> list[str]:
            boards = [PtyBoard(one_at_a_time) for _ in range(count)]
            for board in boards:
                plugged.callback(board.close)
            return [board.path for board in boards]

        yield plug


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


def lab(suite: Suite, ports: list[str], head: str = "") -> str:
    """Write a lab file with boards desk-1, ... of label desk; return the option."""
    suite.board("kind", KIND)
    boards = [
        f'[boards.desk-{number}]\nboard = "kind"\nport = "{port}"\nlabels = ["desk"]\n'
        for number, port in enumerate(ports, start=1)
    ]
    file = suite.root / "embedbench.toml"
    file.write_text(head + "".join(boards))
    return f"--embedbench-lab={file}"


def test_forty_tests_on_four_workers_take_turns_on_two_boards(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    # B22, X6: each board is used by one test at a time, all pass, waits are told.
    suite.test(TURNS.replace("COUNT", "40"))
    result = suite.run("-n4", lab(suite, ports(2)), board="desk")
    result.assert_outcomes(passed=40)
    # X4: with workers there is no live output; the header says where to look.
    result.stdout.re_match_lines(
        [
            r"embedbench lab: .* \(who has what: embedbench lab list --lab .*\)",
            r"embedbench: \d+ tests waited \d+\.\d s for boards, \d+\.\d s at most: .*",
        ]
    )


def test_two_workers_on_one_port_steal_no_byte_from_each_other(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    # V3, B2
    suite.test(COUNTING)
    option = lab(suite, ports(1))
    suite.run("-n2", option, board="desk-1").assert_outcomes(passed=2)


def test_a_killed_run_leaves_its_board_to_the_next_one(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    # B23, X1
    suite.test(
        "def test_it(board):\n"
        "    print('booted', flush=True)\n"
        "    board.advance(60_000)\n"
    )
    option = lab(suite, ports(1))
    killed = subprocess.Popen(
        [
            *(sys.executable, "-mpytest", "-s", option, "--board=desk-1", *WITHOUT),
            "--embedbench-builder=lab",
            f"--embedbench-cache={suite.root / 'cache'}",
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=suite.root,
    )
    assert killed.stdout is not None
    while "booted" not in killed.stdout.readline():
        assert killed.poll() is None
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    suite.test(TURNS.replace("COUNT", "1"))
    result = suite.run(option, board="desk-1")
    result.assert_outcomes(passed=1)
    told = f"desk-1 was left behind by pid {killed.pid} on * in test_it.py::test_it*"
    result.stdout.fnmatch_lines([f"embedbench: {told}; taken over"])


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_lost_board_fails_one_test_and_skips_the_others(
    suite: Suite, pty: Pty, workers: str
) -> None:
    # The first cause is told again, not found again.
    suite.test(
        "import pytest\n"
        "@pytest.mark.parametrize('turn', range(3))\n"
        "def test_it(board, turn):\n"
        "    board.link().send(b'unplug')\n"
        "    board.advance(10_000)\n"
    )

    def obey() -> None:
        assert pty.hear(6, within_s=60) == b"unplug"
        pty.unplug()

    cable = threading.Thread(target=obey)
    cable.start()
    result = suite.run(workers, "-rs", lab(suite, [pty.path]), board="desk-1")
    cable.join()
    result.assert_outcomes(failed=1, skipped=2)
    result.stdout.fnmatch_lines(
        [f"SKIPPED * lost earlier in this run: desk-1: {pty.path} was unplugged, *"]
    )
    # What has led to it inside of us is told, without our own lines.
    said = result.stdout.str()
    assert "OSError: " in said
    assert "reader.py" not in said
    assert "connection.py" not in said


def test_what_fails_on_a_board_that_was_away_is_no_fault_of_its_firmware(
    suite: Suite, pty: Pty
) -> None:
    # Power comes back with the plug, and whatever the firmware knew is gone.
    suite.test(
        "def test_it(bench):\n"
        "    bench.send('unplug')\n"
        "    bench.expect('NEVER', within_ms=3_000)\n"
    )
    plug = suite.root / "by-id"
    plug.symlink_to(pty.path)
    after = Pty()

    def obey() -> None:
        assert pty.hear(6, within_s=60) == b"unplug"
        plug.unlink()
        pty.unplug()
        plug.symlink_to(after.path)

    cable = threading.Thread(target=obey)
    cable.start()
    option = lab(suite, [str(plug)])
    with (suite.root / "embedbench.toml").open("a") as file:
        file.write("options = { reappears_within_ms = 20_000 }\n")
    result = suite.run(option, board="desk-1")
    cable.join()
    after.unplug()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["embedbench: 1 x bench fault"])
    record = json.loads(suite.only("test.json").read_text())
    assert record["blame"] == "bench"
    assert re.match(r"desk-1 was away for \d+\.\d+ s from .*; then: ", record["reason"])


def test_a_label_is_a_board_and_is_listed_with_the_others(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    option = lab(suite, ports(1))
    result = suite.run(option, board="nope")
    result.stderr.fnmatch_lines(
        ["ERROR: no board named 'nope'; known boards: *desk, desk-1, *"]
    )


def test_a_wrong_lab_file_is_a_usage_error_that_names_the_key(suite: Suite) -> None:
    # B19
    option = lab(suite, [""])
    result = suite.run(option, board="desk-1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *embedbench.toml: boards.desk-1.port: is empty*"]
    )


def test_a_datasheet_of_a_simulated_board_is_refused(suite: Suite) -> None:
    option = lab(suite, ["/dev/ttyUSB0"])
    file = suite.root / "embedbench.toml"
    file.write_text(file.read_text().replace('"kind"', '"lab"'))
    result = suite.run(option, board="desk-1")
    result.stderr.fnmatch_lines(
        ["ERROR: *boards.desk-1.board: 'lab' runs on lab, not on a port; *"]
    )


def test_a_missing_port_is_an_error_and_no_skip(suite: Suite) -> None:
    # B15, V8: what could not run is never green.
    suite.test(TURNS.replace("COUNT", "1"))
    result = suite.run(lab(suite, ["/dev/ttyUSB77"]), board="desk-1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no port /dev/ttyUSB77*no other is tried"])


def test_a_busy_board_names_its_holder(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test("def test_it(board, boot):\n    boot('desk-1')\n")
    result = suite.run(lab(suite, ports(1)), board="desk-1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*desk-1 is in use by this very test already*"])


def test_a_port_needs_no_lab_file_and_no_project(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    (port,) = ports(1)
    (suite.root / "platformio.ini").unlink()
    suite.test(
        "def test_it(real_board, make_bench):\n"
        f"    bench = make_bench(real_board({port!r}))\n"
        "    bench.send('BEGIN 7')\n"
        "    bench.expect('BEGUN 7', within_ms=5000)\n"
    )
    suite.run(board="").assert_outcomes(passed=1)


def test_two_boards_are_taken_at_once(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    # X6: in opposite orders by two workers, again and again.
    suite.test(
        "import pytest\n"
        "@pytest.mark.parametrize('turn', range(8))\n"
        "def test_it(real_boards, turn):\n"
        "    names = ['desk-1', 'desk-2'][:: 1 if turn % 2 else -1]\n"
        "    boards = real_boards(*names)\n"
        "    assert [board.spec.name for board in boards] == names\n"
    )
    suite.run("-n2", lab(suite, ports(2)), board="").assert_outcomes(passed=8)


def test_any_two_of_a_label_are_two_boards(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(
        "def test_it(real_boards):\n"
        "    left, right = real_boards('desk', 'desk')\n"
        "    assert {left.spec.name, right.spec.name} == {'desk-1', 'desk-2'}\n"
    )
    suite.run(lab(suite, ports(2)), board="").assert_outcomes(passed=1)


def test_a_test_that_needs_exact_time_is_skipped(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(
        "import pytest\n"
        "@pytest.mark.needs('virtual-time')\n"
        "def test_it(board):\n"
        "    assert False\n"
    )
    result = suite.run("-rs", lab(suite, ports(1)), board="desk-1")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * desk-1 lacks virtual-time"])


def test_a_board_that_cannot_do_what_a_test_needs_is_not_even_flashed(
    suite: Suite, pty: Pty
) -> None:
    log = suite.root / "flashed.log"
    suite.test(
        "import pytest\n"
        "@pytest.mark.needs('reset')\n"
        "def test_it(board):\n"
        "    assert False\n"
    )
    option = lab(suite, [pty.path])
    with (suite.root / "embedbench.toml").open("a") as file:
        argv = ["sh", "-c", f"echo written >> {log}"]
        file.write(f'flash = {{ method = "command", write_argv = {argv} }}\n')
    result = suite.run("-rs", option, board="desk-1")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * desk-1 lacks reset"])
    assert not log.exists()


def disabled(suite: Suite, ports: list[str], *names: str) -> str:
    option = lab(suite, ports)
    file = suite.root / "embedbench.toml"
    text = file.read_text()
    for name in names:
        head = f"[boards.{name}]\n"
        text = text.replace(head, f'{head}disabled = "its relay sticks"\n')
    file.write_text(text)
    return option


def test_a_disabled_board_is_skipped_and_says_why(suite: Suite) -> None:
    suite.test(TURNS.replace("COUNT", "2"))
    option = disabled(suite, ["/dev/ttyUSB77"], "desk-1")
    result = suite.run("-rs", option, board="desk-1")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED * disabled: desk-1 (its relay sticks)"])
    result = suite.run(option, "--embedbench-require=desk-1", board="desk-1")
    result.assert_outcomes(errors=2)


def test_the_others_of_a_label_go_on_without_a_disabled_one(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(TURNS.replace("COUNT", "4"))
    option = disabled(suite, ["/dev/ttyUSB77", *ports(1)], "desk-1")
    suite.run(option, board="desk").assert_outcomes(passed=4)


def test_a_board_that_is_held_by_hand_is_an_error_at_once_and_names_the_person(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    # What could not run is never green, and a night is not spent on waiting.
    suite.test(TURNS.replace("COUNT", "2"))
    option = lab(suite, ports(1))
    file = option.partition("=")[2]
    words = ["hold", "desk-1", "--why", "a probe is on it", "--lab", file]
    assert main(["lab", *words]) == 0
    result = suite.run(option, board="desk-1")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*desk-1 is held by hand by *: a probe is on it*"])


def test_a_board_that_runs_what_is_on_it_asks_for_no_project(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    (suite.root / "platformio.ini").unlink()
    suite.test(TURNS.replace("COUNT", "2"))
    suite.run(lab(suite, ports(1)), board="desk-1").assert_outcomes(passed=2)
    record = json.loads(suite.runs()[-1].rglob("test.json").__next__().read_text())
    assert (record["board"], record["image"]) == ("desk-1", None)


@pytest.mark.parametrize("fixture", ["board", "fresh_board"])
def test_a_board_of_a_label_that_cannot_be_erased_is_told_whichever_it_is(
    suite: Suite, pty: Pty, fixture: str
) -> None:
    # One member is flashed, the other one runs what is on it: no luck of the draw.
    suite.test(
        f"import pytest\n@pytest.mark.erase('all')\ndef test_it({fixture}):\n    pass\n"
    )
    option = lab(suite, [pty.path, "/dev/null"])
    with (suite.root / "embedbench.toml").open("a") as file:
        file.write('flash = { method = "command", write_argv = ["true"] }\n')
    result = suite.run(option, board="desk")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*desk-1 runs what is on it: *'all' cannot be erased*"]
    )


def test_a_word_that_nothing_can_be_erased_by_is_told_at_once(suite: Suite) -> None:
    suite.test("def test_it(board):\n    pass\n")
    option = lab(suite, ["/dev/null"])
    with (suite.root / "embedbench.toml").open("a") as file:
        file.write('options = { erase = "nvm" }\n')
    result = suite.run(option, board="desk-1")
    result.assert_outcomes(errors=1)
    told = "options.erase: must be one of none, nvs, all, is 'nvm'"
    assert told in result.stdout.str()
