"""What a board of a lab is wired to: more UARTs, instruments, features."""

from __future__ import annotations

import threading
import tomllib
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_lab import KIND
from tests.support.pty_board import Pty
from tests.support.scpi_server import InstrumentServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.plugin.conftest import Suite

PACKAGE = Path(__file__).parents[1] / "thirdparty_package"


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def plug() -> Iterator[Callable[[], Pty]]:
    """Return a function that plugs in a port."""
    with ExitStack() as plugged:

        def plug() -> Pty:
            pty = Pty()
            plugged.callback(pty.unplug)
            return pty

        yield plug


def lab(suite: Suite, **boards: str) -> str:
    """Write a lab file of boards of label desk; return the option."""
    suite.board("kind", KIND)
    file = suite.root / "embedbench.toml"
    file.write_text(
        "".join(
            f'[boards.{name}]\nboard = "kind"\nlabels = ["desk"]\n{text}\n'
            for name, text in boards.items()
        )
    )
    return f"--embedbench-lab={file}"


# ------------------------------------------------------------------------------- UARTs
def test_a_log_beside_the_control_line_has_its_conversation_and_its_transcript(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    control, log = plug(), plug()
    uarts = f'uarts.log = {{ port = "{log.path}", baud_bps = 9600 }}'
    option = lab(suite, desk_1=f'port = "{control.path}"\n{uarts}')
    suite.test("""
def test_it(bench):
    log = bench.uarts["log"]
    assert log.recorder.baud_bps == 9600
    bench.send("start")
    log.send("level 3")
    log.expect("^log: level 3$", within_ms=10_000)
    bench.expect("^started$", within_ms=10_000)
""")
    once(control, b"start\n", partial(control.say, b"started\n"))
    once(log, b"level 3\n", partial(log.say, b"log: level 3\n"))
    suite.run(option, board="desk_1").assert_outcomes(passed=1)
    assert "start" in suite.only("transcript.log").read_text()
    assert "fw-> log: level 3" in suite.only("transcript-log.log").read_text()


def once(pty: Pty, heard: bytes, act: Callable[[], None]) -> threading.Thread:
    """Act on a thread, once something is heard."""

    def obey() -> None:
        if pty.hear(len(heard), within_s=60) == heard:
            act()

    thread = threading.Thread(target=obey, daemon=True)
    thread.start()
    return thread


def test_a_log_that_no_test_asks_for_is_evidence_all_the_same(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    control, log = plug(), plug()
    uarts = f'uarts.log = {{ port = "{log.path}" }}'
    option = lab(suite, desk_1=f'port = "{control.path}"\n{uarts}')
    suite.test(
        "def test_it(bench):\n    bench.send('go')\n"
        "    bench.expect('gone', within_ms=10_000)\n"
    )

    def obey() -> None:
        log.say(b"boot: all is well\n")
        control.say(b"gone\n")

    once(control, b"go\n", obey)
    suite.run(option, board="desk_1").assert_outcomes(passed=1)
    assert "all is well" in suite.only("transcript-log.log").read_text()


def test_a_log_that_goes_away_is_a_lost_board(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    control, log = plug(), plug()
    uarts = f'uarts.log = {{ port = "{log.path}" }}'
    option = lab(suite, desk_1=f'port = "{control.path}"\n{uarts}')
    suite.test("def test_it(bench):\n    bench.send('go')\n    bench.run_for(60_000)\n")
    cable = once(control, b"go\n", log.unplug)
    result = suite.run(option, board="desk_1")
    cable.join()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{log.path} was unplugged*"])


@pytest.mark.parametrize(
    ("uarts", "told"),
    [
        ('log = { port = "/dev/ttyUSB0" }', "uarts.log: has the same port as boards.d"),
        ('uart0 = { port = "/dev/ttyUSB1" }', "uarts.uart0: is the first UART of the"),
        ("log = { baud_bps = 9600 }", "has no UART 'log'; it has: uart0"),
        ("log = {}", "boards.desk_1.uarts.log: give it baud_bps, or a port"),
        ('log = { usb_id = "ftdi" }', "uarts.log: usb_id 'ftdi' is not like"),
    ],
)
def test_a_uart_that_cannot_be_is_named(suite: Suite, uarts: str, told: str) -> None:
    option = lab(suite, desk_1=f'port = "/dev/ttyUSB0"\nuarts.{uarts}')
    suite.test("def test_it(board):\n    pass\n")
    result = suite.run(option, board="desk_1")
    assert told in result.stderr.str() + result.stdout.str()


# ------------------------------------------------------------------------- instruments
BAD_KIND = """\
from dataclasses import dataclass
{}
@dataclass
class Kind:
    def open(self): pass
    def close(self): pass
    {}
"""
BAD_KINDS = {
    "import": ("raise RuntimeError('no driver')", ""),
    "syntax": ("def (", ""),
    "init": ("", "def __post_init__(self): raise KeyError('volts')"),
    "open": ("", "def open(self): raise ValueError('no answer')"),
    "close": ("", "def close(self): raise ValueError('no answer')"),
}


@pytest.fixture
def acme(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the instruments of a package of somebody else's."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    kinds = project["entry-points"]["embedbench.instruments"]
    points = suite.root / "thirdparty-1.0.dist-info" / "entry_points.txt"
    lines = [f"{name} = {value}\n" for name, value in kinds.items()]
    lines.append("not-one = acme_bench.instruments:socket\n")
    lines += [f"bad-{when} = bad_{when}:Kind\n" for when in BAD_KINDS]
    for when, (head, body) in BAD_KINDS.items():
        (suite.root / f"bad_{when}.py").write_text(BAD_KIND.format(head, body))
    monkeypatch.syspath_prepend(suite.root)
    points.write_text(f"{points.read_text()}[embedbench.instruments]\n{''.join(lines)}")
    monkeypatch.syspath_prepend(PACKAGE)


MEASURES = """
def test_it(bench):
    supply, relay = (bench.board.instruments[name] for name in ("supply", "relay"))
    supply.set_voltage(2700)
    relay.switch(on=True)
    assert supply.current_ma() == 42.5
"""


@pytest.mark.usefixtures("acme")
def test_instruments_are_open_while_their_board_is_taken(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    supply, relay = InstrumentServer(), InstrumentServer()
    option = lab(
        suite,
        desk_1=f'port = "{plug().path}"\n'
        'instruments.supply = { kind = "acme-supply", millivolts = 3300, '
        f"port = {supply.port} }}\n"
        f'instruments.relay = {{ kind = "acme-relay", port = {relay.port} }}',
    )
    suite.test(MEASURES)
    suite.run(option, board="desk_1").assert_outcomes(passed=1)
    supply.close()
    relay.close()
    assert supply.told == [
        *("VOLT 3.300", "OUTP ON", "VOLT 2.700", "MEAS:CURR?", "VOLT 3.300"),
    ]  # fmt: skip
    assert relay.told == ["RELAY 1 ON", "RELAY 1 OFF"]
    assert (supply.clients, relay.clients) == (1, 1)


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('{ kind = "acme-suply" }', "supply.kind: no instrument named 'acme-suply'; k"),
        ('{ kind = "not-one" }', "supply.kind: 'not-one' is no dataclass of settings"),
        ('{ kind = "acme-supply", volt = 3 }', "supply.volt: unknown key; known keys:"),
        ('{ kind = "acme-supply", port = 0 }', "supply.port: must be a whole number,"),
        ('{ kind = "bad-import" }', "'bad-import' cannot load: RuntimeError('no dri"),
        ('{ kind = "bad-syntax" }', "'bad-syntax' cannot load: SyntaxError("),
        ('{ kind = "bad-init" }', "'bad-init' refuses that: KeyError('volts')"),
        ('{ kind = "bad-open" }', "'supply' cannot be opened: ValueError('no answer"),
        ('{ kind = "bad-close" }', "'supply' was lost: ValueError('no answer')"),
        ("{ port = 1 }", "boards.desk_1.instruments.supply: has a name without '.', a"),
        ('{ kind = "acme-supply", port = 9 }', "its instrument 'supply' cannot be op"),
        ('{ kind = "acme-supply", _socket = "x" }', "supply._socket: unknown key; "),
    ],
)
def test_an_instrument_that_cannot_be_had_is_named_before_the_board_is_touched(
    suite: Suite, plug: Callable[[], Pty], table: str, told: str
) -> None:
    option = lab(suite, desk_1=f'port = "{plug().path}"\ninstruments.supply = {table}')
    suite.test("def test_it(board):\n    pass\n")
    result = suite.run(option, board="desk_1")
    assert told in result.stderr.str() + result.stdout.str()
    assert result.ret != 0


@pytest.mark.usefixtures("acme")
def test_an_instrument_that_has_gone_is_the_benchs_doing(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    relay = InstrumentServer()
    table = f'{{ kind = "acme-relay", port = {relay.port} }}'
    option = lab(suite, desk_1=f'port = "{plug().path}"\ninstruments.relay = {table}')
    suite.test(
        "import socket\n\ndef test_it(bench):\n"
        "    bench.board.instruments['relay']._socket.shutdown(socket.SHUT_RDWR)\n"
    )
    result = suite.run(option, board="desk_1")
    relay.close()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*desk_1: its instrument 'relay' was lost: *", "*1 x bench fault*"]
    )


# ---------------------------------------------------------------------------- features
NEEDS = """
import pytest

@pytest.mark.needs("can")
def test_it(board):
    assert board.spec.name == "desk_2"

@pytest.mark.needs("can", "lin")
def test_both(board):
    pass

def test_neither(board):
    pass
"""


def test_a_test_gets_a_board_that_is_wired_to_what_it_needs(
    suite: Suite, plug: Callable[[], Pty]
) -> None:
    option = lab(
        suite,
        desk_1=f'port = "{plug().path}"',
        desk_2=f'port = "{plug().path}"\nfeatures = ["can"]',
    )
    suite.test(NEEDS)
    result = suite.run("-rs", option, board="desk")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * desk lacks *lin: in *none of it has that*"])
    result = suite.run("-rs", option, board="desk_1")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED * desk_1 lacks can: in *"])


def test_a_simulated_board_is_wired_to_nothing(suite: Suite) -> None:
    suite.test(NEEDS)
    result = suite.run("-rs", board="lab")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED * lab lacks can"])
