"""Boards that are no good: out of the way of others, and named wherever they were."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.ports.discovery import PortQuery
from tests.plugin.test_lab import KIND
from tests.support.pty_board import Pty, PtyBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import LoopbackUart
    from tests.plugin.conftest import Suite

PINGS = """
import pytest

@pytest.mark.parametrize("turn", range(COUNT))
def test_it(bench, turn):
    bench.send(f"PING {turn}")
    bench.expect(f"^PONG {turn}$", within_ms=20_000)
"""
GOOD = 'flash = { method = "command", write_argv = ["true"] }'
NOT_FLASHED = 'flash = { method = "command", write_argv = ["false"], attempts = 1 }'
WRONG_CHIP = (
    'flash = { method = "command", write_argv = ["true"], '
    'identify_argv = ["echo", "esp32s3"] }'
)


def answering(uart: LoopbackUart) -> Generator[int, None, None]:
    pending = b""
    while True:
        *lines, pending = (pending + uart.read()).split(b"\n")
        for line in lines:
            uart.write(line.replace(b"PING", b"PONG") + b"\n")
        yield 1


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def ports() -> Iterator[Callable[[int], list[str]]]:
    with ExitStack() as plugged:

        def plug(count: int) -> list[str]:
            boards = [PtyBoard(answering) for _ in range(count)]
            for board in boards:
                plugged.callback(board.close)
            return [board.path for board in boards]

        yield plug


def lab(suite: Suite, *boards: tuple[str, str], head: str = "") -> str:
    """Write a lab file of label desk, with ports and what else is said; the option."""
    suite.board("kind", KIND)
    text = [head]
    for number, (port, more) in enumerate(boards, start=1):
        text.append(
            f'[boards.desk-{number}]\nboard = "kind"\nport = "{port}"\n'
            f'labels = ["desk"]\n{more}\n'
        )
    file = suite.root / "embedbench.toml"
    file.write_text("\n".join(text))
    return f"--embedbench-lab={file}"


@pytest.mark.parametrize("workers", ["-n0", "-n3"])
def test_one_wrong_chip_of_three_spoils_no_test(
    suite: Suite, ports: Callable[[int], list[str]], workers: str
) -> None:
    suite.test(PINGS.replace("COUNT", "12"))
    one, two, three = ports(3)
    option = lab(suite, (one, WRONG_CHIP), (two, GOOD), (three, GOOD))
    wrong = f"desk-1: the wrong board is on {one}: expected any, found esp32s3"
    result = suite.run(workers, option, board="desk")
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(
        [
            f"embedbench: desk-1 is out for this run after 3 faults: {wrong}; *",
        ]
    )


def test_a_board_that_cannot_be_flashed_is_out_after_as_many_faults_as_the_lab_says(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "4"))
    one, two = ports(2)
    head = "quarantine_after = 1\n"
    option = lab(suite, (one, NOT_FLASHED), (two, GOOD), head=head)
    result = suite.run(option, board="desk")
    result.assert_outcomes(passed=4)
    assert f"on {one} was not flashed: write failed 1 times" in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "embedbench: desk-1 is out for this run after 1 fault: desk-1: the *",
        ]
    )


def test_a_board_whose_port_another_program_reads_does_not_stop_the_others(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "4"))
    one, two = ports(2)
    thief = subprocess.Popen(["cat", one], stdout=subprocess.DEVNULL)
    try:
        result = suite.run(lab(suite, (one, ""), (two, "")), board="desk")
    finally:
        thief.kill()
        thief.wait()
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [f"embedbench: desk-1 is out for this run after 3 faults: desk-1: {one} is *"]
    )


def test_a_single_bad_board_errs_as_often_as_it_may_and_is_skipped_then(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "5"))
    (one,) = ports(1)
    result = suite.run("-rs", lab(suite, (one, WRONG_CHIP)), board="desk-1")
    result.assert_outcomes(errors=3, skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED * desk-1: the wrong board is on * (its fault number 3 in this run)"]
    )


def test_the_faults_of_one_run_are_not_held_against_a_board_in_the_next(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "1"))
    one, two = ports(2)
    option = lab(suite, (one, WRONG_CHIP), (two, GOOD), head="quarantine_after = 2\n")
    for _ in range(3):
        result = suite.run("-n1", option, board="desk")
        result.assert_outcomes(passed=1)
        told = "embedbench: desk-1 had 1 fault, and is still in: desk-1: the wrong *"
        result.stdout.fnmatch_lines([told])


def test_a_member_that_is_missing_is_told_at_the_start_and_at_the_end(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "1"))
    (one,) = ports(1)
    option = lab(suite, (one, ""), ("/dev/ttyUSB77", ""))
    result = suite.run(option, board="desk")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "embedbench lab: desk-2 is missing: there is no port /dev/ttyUSB77*",
            "test_it.py *",
            "embedbench: desk-2 is missing: there is no port /dev/ttyUSB77*",
        ]
    )


def test_a_busy_board_is_waited_for_once_in_a_run(suite: Suite) -> None:
    suite.test(PINGS.replace("COUNT", "4"))
    pty = Pty()
    option = lab(suite, (pty.path, ""), head="wait_s = 1\n")
    query = PortQuery(port=pty.path)
    request = BoardRequest(name="mine", boards=(("mine", query),))
    (lease,) = Leases().acquire([request], wait_s=0)
    try:
        result = suite.run("-n1", "-rs", option, board="desk-1")
    finally:
        lease.release()
        pty.unplug()
    result.assert_outcomes(errors=1, skipped=3)
    told = "no board came free within 1 s for desk-1: desk-1 is held by pid *; it still"
    result.stdout.fnmatch_lines([f"SKIPPED * {told} is: *"])


def test_a_plain_assert_without_a_board_is_no_verdict_on_the_firmware(
    suite: Suite,
) -> None:
    suite.test("""
from pathlib import Path

def test_it(bench):
    port = Path(bench.board.spec.options["port"])
    bench.send("GO")
    while port.exists():
        pass
    assert not port, "the pump is off"
""")
    pty = Pty()
    option = lab(suite, (pty.path, ""))

    def pull() -> None:
        pty.hear(3)
        pty.unplug()

    puller = threading.Thread(target=pull)
    puller.start()
    result = suite.run("-n1", option, board="desk-1")
    puller.join()
    result.assert_outcomes(failed=1)
    told = f"desk-1: {pty.path} was unplugged, or the board switched its USB off; then:"
    (record,) = map(json.loads, (p.read_text() for p in suite.root.rglob("test.json")))
    assert record["blame"] == "bench"
    assert record["reason"].startswith(f"{told} the pump is off")
    assert "1 x bench fault" in result.stdout.str()
    why = told.removesuffix("; then:")
    result.stdout.fnmatch_lines([f"bench's, for {why}", "*= short test summary *"])


def test_a_place_that_is_neither_port_nor_board_is_named(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test("""
def test_it(real_boards):
    real_boards("desk-1", "nobody")
""")
    result = suite.run(lab(suite, (ports(1)[0], "")), board="")
    result.stdout.fnmatch_lines(
        ["*'nobody' is no port (like /dev/ttyUSB0, *), and none of the lab's names: *"]
    )


def test_the_name_of_the_board_is_everywhere(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(PINGS.replace("COUNT", "1").replace("PONG", "NEVER").replace("20_", ""))
    (one,) = ports(1)
    xml = suite.root / "junit.xml"
    reset = 'reset = { command = ["true"] }'
    option = lab(suite, (one, reset))
    result = suite.run(option, f"--junitxml={xml}", board="desk")
    result.assert_outcomes(failed=1)
    place = f"desk-1 (one of desk) on {one}"
    result.stdout.fnmatch_lines(["* board (firmware fault) *", f"{place}: 0 retries*"])
    (board,) = json.loads(suite.only("test.json").read_text())["boards"]
    assert (board["board"], board["wanted"], board["port"]) == ("desk-1", "desk", one)
    assert board["used_s"] > 0
    properties = {
        entry.get("name"): entry.get("value")
        for entry in ET.parse(xml).iter("property")
    }
    assert properties["embedbench_member"] == place
    assert re.match(
        r"desk-1: 0 retries, 0 resets, 0 power cycles, used \d+\.\d s$",
        properties["embedbench_board_use"] or "",
    )


def test_each_attempt_at_a_test_keeps_its_board(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(
        "def test_it(bench, request):\n"
        "    bench.send('PING')\n"
        "    bench.expect('PONG', within_ms=20_000)\n"
        "    assert request.node.execution_count > 1\n"
    )
    (one,) = ports(1)
    xml = suite.root / "junit.xml"
    result = suite.run(
        "--reruns=1", lab(suite, (one, "")), f"--junitxml={xml}", board="desk"
    )
    assert result.parseoutcomes() == {"passed": 1, "rerun": 1}
    (run,) = suite.runs()
    boards = [
        json.loads(file.read_text())["boards"][0]["board"]
        for file in run.rglob("test.json")
    ]
    assert boards == ["desk-1", "desk-1"]
    attempts = [
        entry.get("value")
        for entry in ET.parse(xml).iter("property")
        if entry.get("name") == "embedbench_attempt"
    ]
    assert attempts == [f"1 on desk-1 (one of desk) on {one}: failed, firmware"]
    record = json.loads((run / "lab.json").read_text())
    assert [
        (each["attempt"], each["outcome"], each["boards"])
        for each in record["attempts"]
    ] == [(1, "failed", ["desk-1"]), (2, "passed", ["desk-1"])]


def test_a_flaky_board_is_seen_over_many_runs(
    suite: Suite,
    ports: Callable[[int], list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite.test(PINGS.replace("COUNT", "2"))
    one, two = ports(2)
    option = lab(suite, (one, WRONG_CHIP), (two, GOOD))
    for _ in range(2):
        suite.run("-n1", option, board="desk").assert_outcomes(passed=2)
    monkeypatch.chdir(suite.root)
    capsys.readouterr()
    assert main(["lab", "stats"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["board", "tests", "passed"]
    assert re.match(r"desk-1 +0 +0 +4 own +2 of 2 +0 +0\.0 s +0\.0 s +20\d\d-", first)
    assert re.match(
        r"desk-2 +4 +4 +none +0 of 2 +0 +\d+\.\d s +0\.0 s +20\d\d-", second
    )
    assert main(["lab", "stats", "--json", str(suite.runs()[0])]) == 0
    boards = json.loads(capsys.readouterr().out)
    assert boards["desk-1"]["fault_count"] == 2
    assert boards["desk-2"]["passed"] == 2


def test_statistics_of_what_is_no_run_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "stats"]) != 0
    assert "no run with a lab.json" in capsys.readouterr().err
    assert main(["lab", "stats", "nowhere"]) != 0
    assert "nowhere: no lab.json of a run: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "is damaged: remove it, or name the runs to count"),
        ('{"schema": 1, "boa', "is damaged: remove it, or name the runs to count"),
        ("[]", "is damaged: remove it"),
        ("null", "is damaged: remove it"),
        ('{"schema": 9}', "has schema 9, and this version reads 1: name the runs to"),
        ('{"schema": 1}', "is damaged: remove it"),
        ('{"schema": 1, "boards": []}', "is damaged: remove it"),
        ('{"schema": 1, "boards": {"a": 5}}', "is damaged: remove it"),
        ('{"schema": 1, "boards": {"a": {}}}', "is damaged: remove it"),
    ],
)
def test_a_damaged_record_of_a_run_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    file = tmp_path / "lab.json"
    file.write_text(text)
    assert main(["lab", "stats", str(file)]) == 1
    assert f"{file}: {told}" in capsys.readouterr().err


def test_a_label_on_which_tests_ran_is_not_said_to_have_run_nothing(
    suite: Suite, ports: Callable[[int], list[str]]
) -> None:
    suite.test(
        "import pytest\n\n@pytest.mark.needs('can')\ndef test_can(bench): ...\n\n"
        "def test_it(bench): ..."
    )
    (one,) = ports(1)
    result = suite.run(lab(suite, (one, "")), board="desk")
    result.assert_outcomes(passed=1, skipped=1)
    assert "nothing ran on" not in result.stdout.str()
    result = suite.run(lab(suite, (one, "")), "-k", "can", board="desk")
    result.stdout.fnmatch_lines(["embedbench: nothing ran on desk: desk lacks can: *"])
