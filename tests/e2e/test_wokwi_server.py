"""The offline server: simulations over Wokwi's protocol, as any client of it sees."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pytest_embedbench import Registry
from pytest_embedbench.circuits.png_file import decode_png
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wokwi_server.server import WokwiServer
from tests.support.diagrams import diagram_text
from tests.support.processes import family
from tests.support.wokwi_talk import TOKEN, WITHIN_S, Talk, wokwi_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.model import FirmwareImage

DIAGRAM = diagram_text(
    {
        "uno": "wokwi-arduino-uno",
        "btn": "wokwi-pushbutton",
        "led": "wokwi-led",
        "px": "wokwi-neopixel",
        "la": "wokwi-logic-analyzer",
    },
    *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
    *("uno:13 - led:A", "led:C - uno:GND.2", "uno:8 - px:DIN"),
    *("la:D0 - uno:13", "la:D1 - uno:2"),
    attrs={"btn": {"bounce": "0"}, "la": {"channelNames": "light,button"}},
)


@pytest.fixture(scope="module")
def server() -> Iterator[WokwiServer]:
    with wokwi_server() as serving:
        yield serving


@pytest.fixture(scope="module")
def firmware(circuit_image: Callable[[str], FirmwareImage]) -> bytes:
    return circuit_image("uno").artifacts["firmware.hex"].read_bytes()


@pytest.fixture
def talk(server: WokwiServer, firmware: bytes) -> Iterator[Talk]:
    """Return a talk with a simulation that stands at time 0."""
    with Talk(server.url) as talk:
        talk.start(DIAGRAM, firmware)
        yield talk


def test_time_passes_in_lockstep_and_to_the_nanosecond(talk: Talk) -> None:
    assert talk.ask("sim:status") == {"running": False, "nanos": 0}
    assert talk.run(50_000_010) == 50_000_010
    assert talk.said() == b"ready\r\n"
    talk.ask("serial-monitor:write", bytes=[*b"b"])
    talk.ask("pin:listen", part="uno", pin="13", listen=True)
    assert talk.run(49_999_990) == 100_000_000
    assert talk.ask("pin:read", part="led", pin="A")["value"] == 0
    talk.ask("control:set", part="btn", control="pressed", value=1)
    assert talk.run(1_000_000) == 101_000_000
    changes = [it for it in talk.events if it["event"] == "pin:change"]
    lit = {"value": 1, "voltage": 5.0, "direction": "out"}
    assert changes[-1]["payload"] == {
        "part": "uno",
        "pin": "13",
        "pullUp": False,
        "pullDown": False,
        **lit,
    }
    assert 100_000_000 < changes[-1]["nanos"] < 100_200_000
    button = talk.ask("pin:read", part="uno", pin="2")
    assert (button["value"], button["direction"], button["pullUp"]) == (0, "in", True)


def test_pause_points_are_moments_and_words(talk: Talk) -> None:
    talk.ask("pause-point:add", id="word", type="serial-bytes", bytes=[*b"rea"])
    talk.ask("pause-point:add", id="late", type="time-absolute", nanos=10**9)
    talk.ask("sim:resume")
    met = talk.until("sim:pause")
    assert (met["payload"]["pausePoint"], met["paused"]) == ("word", True)
    assert talk.said() == b"rea"
    talk.ask("pause-point:add", id="soon", type="time-relative", nanos=1_000)
    talk.ask("sim:resume")
    soon = talk.until("sim:pause")
    assert soon["payload"]["pausePoint"] == "soon"
    assert soon["nanos"] == met["nanos"] + 1_000
    talk.ask("pause-point:remove", id="late")
    talk.ask("pause-point:add", id="past", type="time-absolute", nanos=5)
    talk.ask("sim:resume")
    assert talk.until("sim:pause")["nanos"] == soon["nanos"]
    talk.ask("pause-point:add", id="never", type="time-absolute", nanos=1e40)
    assert talk.run(1_000_000) == soon["nanos"] + 1_000_000


def test_a_pause_point_can_be_there_before_the_simulation(
    server: WokwiServer, firmware: bytes
) -> None:
    """As wokwi-cli has it: its time-out is a pause point of the first moment."""
    with Talk(server.url) as talk:
        for name, nanos in (("gone", 5), ("timeout", 1_000_000)):
            given = {"type": "time-absolute", "nanos": nanos}
            assert talk.ask("pause-point:add", id=name, **given) == {}
        talk.ask("pause-point:remove", id="gone")
        talk.start(DIAGRAM, firmware, pause=False)
        met = talk.until("sim:pause")
        assert (met["payload"]["pausePoint"], met["nanos"]) == ("timeout", 1_000_000)
        talk.ask("sim:restart", pause=True)
        assert talk.run(2_000_000) == 2_000_000


def test_what_is_seen_of_parts(talk: Talk) -> None:
    talk.run(50_000_000)
    talk.ask("serial-monitor:write", bytes=[*b"p"])
    talk.run(50_000_000)
    shown = talk.ask("framebuffer:read", id="px")
    picture = decode_png(base64.b64decode(shown["png"]), "px")
    assert (picture.width, picture.height) == (8, 8)
    assert picture.rgba == bytes((0x80, 10, 255, 255)) * 64
    waves = talk.ask("sim:read-vcd")
    assert (waves["channelCount"], "$var wire 1 ! light $end" in waves["vcd"]) == (
        8,
        True,
    )
    assert "uno:A0" in talk.ask("gpio:list")["pins"]
    told = talk.ask("framebuffer:read", id="led")
    assert (told["code"], "no picture is made of a wokwi-led" in told["message"]) == (
        3,
        True,
    )
    assert talk.ask("touch:event", part="led", x=1, y=1, event="press")["code"] == 3
    assert "has no wokwi-microsd-card" in talk.ask("sdcard:export")["message"]
    wrong = talk.ask("control:set", part="btn", control="presed", value=1)
    assert (wrong["code"], "named 'presed'" in wrong["message"]) == (2, True)
    assert talk.ask("pin:read", part="uno", pin="99")["code"] == 2


def test_a_simulation_runs_by_itself_and_begins_anew(talk: Talk) -> None:
    talk.ask("sim:resume")
    assert talk.until("serial-monitor:data")["paused"] is False
    while talk.ask("sim:status")["nanos"] < 60_000_000:
        pass
    talk.ask("sim:pause")
    at_ns = talk.until("sim:pause")["nanos"]
    assert talk.ask("sim:status") == {"running": False, "nanos": at_ns}
    talk.ask("sim:restart", pause=True)
    assert talk.ask("sim:status") == {"running": False, "nanos": 0}
    talk.run(50_000_000)
    assert talk.said().endswith(b"ready\r\n")


def test_a_restart_goes_on_and_a_crash_is_the_end(talk: Talk) -> None:
    talk.run(50_000_000)
    talk.ask("serial-monitor:write", bytes=[*b"x"])
    talk.run(200_000_000)
    assert talk.said().count(b"ready") > 1
    crashes = base64.b64encode(b"\x00\x00\x01\x00").decode()
    talk.ask("file:upload", name="crashes.bin", binary=crashes)
    pieces = [{"offset": 0, "file": "crashes.bin"}]
    assert not talk.ask("sim:start", firmware=pieces, pause=True)
    with pytest.raises(ConnectionClosed):
        talk.run(200_000_000)
    (error,) = talk.errors
    assert "the firmware crashed: there is no valid instruction" in error


def test_ten_clients_have_a_simulation_each_and_leave_nothing(
    server: WokwiServer, firmware: bytes
) -> None:
    before, threads = family(os.getpid()).keys(), {*threading.enumerate()}
    talks = [Talk(server.url) for _ in range(10)]
    for index, each in enumerate(talks):
        each.start(DIAGRAM, firmware)
        each.run(50_000_000 + index)
    assert len(family(os.getpid()).keys() - before) == 10
    assert [it.ask("sim:status")["nanos"] % 100 for it in talks] == [*range(10)]
    talks[0].ask("sim:resume")  # one runs while it is dropped
    for each in talks[:5]:
        each.wire.socket.close()
    for each in talks[5:]:
        with each:
            pass
    for thread in {*threading.enumerate()} - threads:
        thread.join(WITHIN_S)
        assert not thread.is_alive()
    assert not family(os.getpid()).keys() - before
    assert server_answers(server)


def server_answers(server: WokwiServer) -> bool:
    with Talk(server.url) as talk:
        return "no simulation" in talk.ask("sim:pause")["message"]


@pytest.mark.parametrize("token", ["", "open", f"{TOKEN}s", "é"])
def test_who_does_not_know_the_token_stays_outside(
    server: WokwiServer, token: str
) -> None:
    with pytest.raises(InvalidStatus) as caught:
        Talk(server.url, token)
    assert caught.value.response.status_code == 401
    assert caught.value.response.body is not None
    assert b"not the token which embedbench wokwi-serve" in caught.value.response.body


def test_a_port_that_is_taken_is_a_sentence(server: WokwiServer) -> None:
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(ConfigError, match=f"port {port} of 127.0.0.1 cannot be had"):
        WokwiServer(Registry(), token=TOKEN, port=port)


def test_the_command_says_where_it_is_and_ends_by_interrupt() -> None:
    command = [sys.executable, "-m", "pytest_embedbench.cli", "wokwi-serve"]
    with subprocess.Popen(
        [*command, "--token", TOKEN], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as serving:
        assert serving.stdout is not None
        assert serving.stderr is not None
        url = serving.stdout.readline().decode().strip().partition("=")[2]
        token = serving.stdout.readline().decode().strip()
        assert token == f"export WOKWI_CLI_TOKEN={TOKEN}"
        with Talk(url) as talk:
            assert "no simulation" in talk.ask("sim:pause")["message"]
            os.kill(serving.pid, signal.SIGINT)
            with pytest.raises(ConnectionClosed):
                talk.until("sim:pause")
        assert (serving.wait(), serving.stderr.read()) == (0, b"ended\n")
