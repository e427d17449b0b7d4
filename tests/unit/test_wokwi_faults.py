"""What goes wrong at a service is one sentence, blamed on it, and leaves nothing."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import BadFrame, ConfigError, ServiceFault, ToolMissing
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.model import Level
from pytest_embedbench.plugin.blame import blame_of
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.stops import PinBecomes, UartSays
from pytest_embedbench.wokwi.messages import (
    Command,
    CommandResponse,
    Event,
    FatalError,
    Hello,
    encode,
)
from tests.support.scripted_service import (
    DROP,
    GARBAGE,
    REFUSE,
    SILENT,
    TOKEN,
    ScriptedService,
    running,
)
from tests.support.wokwi_boards import at_service, avr_hex, booted, engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.engines.wokwi.board import WokwiBoard

ANSWER_S, SILENCE_S = 10.0, 0.8
QUOTA = encode(FatalError(message="quota exceeded"))
PIN = Endpoint("mcu", "13")


def open_sockets() -> set[str]:
    found: set[str] = set()
    for file in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # what lists them is among them
            found.add(str(file.readlink()))
    return {it for it in found if it.startswith("socket:")}


def advance(board: WokwiBoard) -> None:
    board.link().send(b"hello\n")
    board.advance(20)


STEPS: dict[str, Callable[[WokwiBoard], object]] = {
    "hello": advance,
    "file:upload": advance,
    "serial-monitor:listen": advance,
    "sim:start": advance,
    "sim:resume": advance,
    "serial-monitor:write": advance,
    "sim:restart": lambda board: board.reset(),
    "sim:status": lambda board: board.reset(),
    "pin:read": lambda board: board.circuit.level(PIN),
    "pin:listen": lambda board: board.circuit.look_out([PinBecomes(PIN, Level.HIGH)]),
    "pause-point:add": lambda board: board.circuit.look_out([UartSays(b"x")]),
    "control:set": lambda board: board.circuit.control("mcu", "x", 1),
    "touch:event": lambda board: board.circuit.touch("mcu", "press", x=1, y=1),
    "framebuffer:read": lambda board: board.circuit.framebuffer_png("mcu"),
    "sim:read-vcd": lambda board: board.circuit.analyzer_vcd(),
}
OPTIONAL = list(STEPS)[8:]
NEEDED = [step for step in list(STEPS)[1:] if step not in OPTIONAL]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Insist that neither thread nor socket is left."""
    threads, sockets = threading.enumerate(), open_sockets()
    yield
    assert [it for it in threading.enumerate() if it not in threads] == []
    assert open_sockets() == sockets


@pytest.fixture
def fails(tmp_path: Path) -> Callable[..., str]:
    """A function from a script to the sentence that a run ends with."""

    def run(
        service: ScriptedService,
        step: str = "sim:resume",
        kind: type[Exception] = ServiceFault,
        token: str = TOKEN,
        answer_s: float = ANSWER_S,
    ) -> str:
        with running(service):
            spec = at_service(service, answer_s=answer_s, run_s_per_s=0.0)
            begun_s = host_now_s()
            with (
                pytest.raises(kind) as raised,
                closing(engine(token).boot(spec, avr_hex(tmp_path))) as board,
            ):
                STEPS[step](board)
            took_s = host_now_s() - begun_s
        assert took_s < 3 * answer_s, "for connecting, for one answer, and a margin"
        said = str(raised.value)
        assert TOKEN not in said
        assert "\n" not in said
        blame = blame_of(raised.value, ran=True)
        assert blame is not None
        assert blame.who == "bench"
        return said.replace(service.url, "URL")

    return run


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("word", "told"),
    [
        (DROP, "broke the connection off"),
        (GARBAGE, "does not speak the protocol"),
        (QUOTA, "quota exceeded"),
    ],
    ids=["drop", "garbage", "quota"],
)
def test_each_step_can_go_wrong(
    fails: Callable[..., str], step: str, word: str, told: str
) -> None:
    said = fails(ScriptedService(at={step: word}), step)
    assert told in said
    assert step in said or step in ("sim:resume", "serial-monitor:write"), said


@pytest.mark.host_time
@pytest.mark.parametrize("step", ["hello", "file:upload", "sim:resume", "pin:read"])
def test_silence_is_given_up_in_time(fails: Callable[..., str], step: str) -> None:
    """A step before it has ten times what it takes on a slow machine."""
    said = fails(ScriptedService(at={step: SILENT}), step, answer_s=SILENCE_S)
    assert f"was silent for {SILENCE_S} s while" in said


@pytest.mark.parametrize("step", NEEDED)
def test_what_has_to_be_and_is_refused_ends_the_session(
    fails: Callable[..., str], step: str
) -> None:
    said = fails(ScriptedService(at={step: REFUSE}), step)
    assert said.startswith(f"URL refused {step}")
    assert said.endswith(": no, sir (code 7)")


def test_a_refused_upload_names_its_file(fails: Callable[..., str]) -> None:
    said = fails(ScriptedService(at={"file:upload": REFUSE}))
    assert said == "URL refused file:upload of diagram.json: no, sir (code 7)"


@pytest.mark.parametrize("step", OPTIONAL)
def test_the_session_goes_on_after_another_refusal(tmp_path: Path, step: str) -> None:
    with booted(ScriptedService(at={step: REFUSE}), tmp_path) as board:
        with pytest.raises(ConfigError, match=r"no, sir \(code 7\)"):
            STEPS[step](board)
        board.advance(20)
        assert board.link().receive()[0].data == b"ready\n"


@pytest.mark.parametrize(
    ("hello", "told"),
    [
        (encode(Hello(protocol_version=2)), "speaks version 2 of Wokwi's protocol"),
        (encode(Event(event="sim:pause", nanos=0, paused=True)), "Event in place of"),
        (encode(CommandResponse(id="1", command="x")), "in place of hello"),
        (encode(Command(id="1", command="x")), "began with Command in place of hello"),
        ('{"type": "hello"}', "protocolVersion is missing"),
        ("<html>", "a frame must be JSON, came: '<html>'"),
    ],
)
def test_a_bad_hello_is_told(fails: Callable[..., str], hello: str, told: str) -> None:
    assert told in fails(ScriptedService(hello=hello), kind=BadFrame)


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        ([401], "answered HTTP 401: it does not take the token in WOKWI_CLI_TOKEN"),
        ([403], "answered HTTP 403: it does not take the token"),
        ([402], "answered HTTP 402: what your plan has of simulation time is used up"),
        ([429], "answered HTTP 429: what your plan has"),
        ([404], "answered HTTP 404 in place of opening a websocket: is the path right"),
        ([500], "answered HTTP 500 in place of"),
        ([503, 503], "answered HTTP 503, twice: it is busy"),
        ([408, 401], "answered HTTP 401: it does not take the token"),
        ([408, 503], "answered HTTP 503, twice"),
    ],
)
def test_who_is_not_let_in_is_told_why(
    fails: Callable[..., str], statuses: list[int], told: str
) -> None:
    service = ScriptedService(statuses=[*statuses, 401])
    assert told in fails(service)
    assert len(service.upgrades) == len(statuses)


def test_a_server_that_was_busy_is_asked_once_more(tmp_path: Path) -> None:
    service = ScriptedService(statuses=[503])
    with booted(service, tmp_path) as board:
        board.advance(1)
    assert len(service.upgrades) == 2


def test_a_server_that_wants_a_token_says_how_to_get_one(
    fails: Callable[..., str],
) -> None:
    said = fails(ScriptedService(), token="")
    assert "it wants a token, and WOKWI_CLI_TOKEN has none: make one at https" in said


def test_no_token_for_the_cloud_is_something_to_install(tmp_path: Path) -> None:
    spec = at_service(ScriptedService(), "wokwi-uno")
    with pytest.raises(ToolMissing, match=r"WOKWI_CLI_TOKEN.*wokwi\.com/dashboard/ci"):
        engine("").boot(spec, avr_hex(tmp_path))


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    service = ScriptedService(url=f"ws://127.0.0.1:{port}")
    with pytest.raises(ServiceFault, match="cannot be reached: Connection refused"):
        engine().boot(at_service(service), avr_hex(tmp_path))


def test_no_tls_where_tls_should_be(tmp_path: Path) -> None:
    with running(ScriptedService()) as service:
        spec = at_service(service, server=service.url.replace("ws:", "wss:"))
        with pytest.raises(ServiceFault, match="cannot be reached over TLS: "):
            engine().boot(spec, avr_hex(tmp_path))


@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_a_port_that_never_says_anything(tmp_path: Path, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        spec = at_service(ScriptedService(url=url), answer_s=0.2)
        with pytest.raises(ServiceFault, match=r"did not answer within 0\.2 s"):
            engine().boot(spec, avr_hex(tmp_path))


def test_a_board_that_is_lost_says_so_again(tmp_path: Path) -> None:
    service = ScriptedService(at={"sim:resume": DROP})
    with booted(service, tmp_path) as board:
        for _ in range(2):
            with pytest.raises(ServiceFault, match="broke the connection off"):
                board.advance(1)


def test_what_was_said_before_a_fault_is_not_lost(tmp_path: Path) -> None:
    said = Event(
        event="serial-monitor:data", payload={"bytes": [65]}, nanos=5, paused=False
    )
    service = ScriptedService(at={"sim:resume": encode(said)})
    with booted(service, tmp_path) as board:
        service.at["pin:read"] = DROP
        board.advance(1)
        with pytest.raises(ServiceFault):
            board.circuit.level(PIN)
        assert board.link().receive()[0].data == b"A"


def test_a_server_that_says_the_token_again_is_quoted_without_it(
    tmp_path: Path,
) -> None:
    service = ScriptedService(at={"pin:read": REFUSE}, refusal=f"not with {TOKEN}")
    with (
        booted(service, tmp_path) as board,
        pytest.raises(ConfigError, match="not with <token>"),
    ):
        board.circuit.level(PIN)


def test_the_token_is_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with booted(ScriptedService(), tmp_path) as board:
        board.advance(1)
        shown = f"{board!r} {board.circuit!r} {vars(board)} {engine()!r}"
    ours = [it for it in caplog.records if "server" not in it.name]
    assert TOKEN not in shown
    assert TOKEN not in " ".join(it.getMessage() for it in ours)
