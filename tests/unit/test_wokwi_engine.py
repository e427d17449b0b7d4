"""What a board does at a server that speaks Wokwi's protocol."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench import (
    ConfigError,
    DoesNotFit,
    FirmwareImage,
    Level,
    NotSupported,
    PinEvent,
    Registry,
    UnknownName,
)
from pytest_embedbench.bench.stand_ins import stand_in
from pytest_embedbench.engines.wokwi.board import ListeningWokwiBoard
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.stops import (
    PinBecomes,
    Stop,
    StopMet,
    TimeReaches,
    UartSays,
)
from pytest_embedbench.wokwi.messages import Event, encode
from tests.support.diagrams import UNO, diagram_text
from tests.support.scripted_service import ScriptedService, running
from tests.support.wokwi_boards import at_service, avr_hex, booted, engine

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.engines.wokwi.board import WokwiBoard

PIN = Endpoint("mcu", "13")


def said(board: WokwiBoard) -> list[tuple[int, bytes]]:
    return [(it.at_us, it.data) for it in board.link().receive()]


def test_nothing_that_is_said_is_missed(tmp_path: Path) -> None:
    service = ScriptedService()
    with booted(service, tmp_path):
        assert service.names() == [
            *("file:upload", "file:upload", "serial-monitor:listen", "sim:start")
        ]
        assert service.params_of("sim:start") == {
            "firmware": "firmware.hex",
            "chips": [],
            "pause": True,
        }


def test_time_and_talk_go_in_lockstep(tmp_path: Path) -> None:
    with booted(ScriptedService(), tmp_path) as board:
        board.link().send(b"one\ntwo\nthr")
        board.advance(20)
        assert said(board) == [
            *((1_000, b"got one\n"), (1_000, b"two\n"), (1_000, b"thr")),
            (10_000, b"ready\n"),
        ]
        assert board.now_us() == 20_000


@pytest.mark.parametrize("pins_as_numbers", [False, True])
def test_both_shapes_of_a_pin_are_read(tmp_path: Path, pins_as_numbers: bool) -> None:  # noqa: FBT001
    service = ScriptedService(pins_as_numbers=pins_as_numbers)
    with booted(service, tmp_path) as board:
        assert board.circuit.level(PIN) is Level.LOW
        board.advance(100)
        assert board.circuit.level(PIN) is Level.HIGH
        if pins_as_numbers:
            assert board.circuit.voltage_mv(PIN) == 5000
        else:
            with pytest.raises(NotSupported, match="its server tells no voltage"):
                board.circuit.voltage_mv(PIN)


@pytest.mark.parametrize(
    ("stop", "met_ns", "ends_us"),
    [
        (UartSays(b"read"), 10_000_000, 10_000),
        (TimeReaches(2_345_678), 2_345_678, 2_345),
        (PinBecomes(PIN, Level.HIGH), 100_000_000, 100_000),
        (PinBecomes(PIN, Level.LOW), 200_000_000, 200_000),
    ],
)
def test_time_ends_where_something_is_met(
    tmp_path: Path, stop: Stop, met_ns: int, ends_us: int
) -> None:
    with booted(ScriptedService(), tmp_path) as board:
        board.circuit.look_out([stop])
        board.advance(500)
        assert board.circuit.take_met() == StopMet(stop, met_ns)
        assert board.circuit.take_met() is None
        assert board.now_us() == ends_us
        board.advance(500)
        assert board.now_us() == ends_us + 500_000


def test_time_goes_on_for_whoever_stays(tmp_path: Path) -> None:
    with booted(ScriptedService(), tmp_path) as board:
        board.circuit.look_out([UartSays(b"ready")], stay=True)
        board.advance(50)
        assert board.now_us() == 50_000
        assert board.circuit.take_met() == StopMet(UartSays(b"ready"), 10_000_000)


def test_words_that_are_half_said_are_looked_out_for_on(tmp_path: Path) -> None:
    service = ScriptedService()
    with booted(service, tmp_path) as board:
        board.circuit.look_out([UartSays(b"x"), TimeReaches(1)])
        board.circuit.look_out([UartSays(b"x")])
        assert service.names().count("pause-point:add") == 1
        board.circuit.look_out([])
        assert service.names().count("pause-point:remove") == 1


def test_a_pin_that_nobody_looks_at_is_not_listened_to(tmp_path: Path) -> None:
    service = ScriptedService()
    with booted(service, tmp_path) as board:
        board.circuit.look_out([PinBecomes(PIN, Level.HIGH)])
        board.circuit.look_out([])
        assert service.params_of("pin:listen")["listen"] is False
        with pytest.raises(NotSupported, match="no pin is told to float"):
            board.circuit.look_out([PinBecomes(PIN, Level.FLOATING)])


def test_a_restart_does_not_set_the_clock_back(tmp_path: Path) -> None:
    with booted(ScriptedService(), tmp_path) as board:
        board.advance(30)
        board.reset()
        assert board.now_us() == 30_000
        board.advance(20)
        assert said(board) == [(10_000, b"ready\n"), (40_000, b"ready\n")]


@pytest.mark.parametrize(("at_ns", "resumes"), [(0, 1), (5_000_000, 2)])
def test_a_pause_that_nobody_wanted_is_run_over(
    tmp_path: Path, at_ns: int, resumes: int
) -> None:
    """One from before is late; one in the middle has stopped the simulation."""
    service = ScriptedService()
    with booted(service, tmp_path) as board:
        event = Event(event="sim:pause", nanos=at_ns, paused=True)
        service.once["sim:resume"] = encode(event)
        board.advance(20)
        assert service.names().count("sim:resume") == resumes
        assert said(board)[0] == (10_000, b"ready\n")


def test_pins_that_are_listened_to_are_traced(tmp_path: Path) -> None:
    with booted(ScriptedService(), tmp_path, listen="mcu:13, mcu:2") as board:
        assert isinstance(board, ListeningWokwiBoard)
        board.advance(200)
        high = [it for it in board.pin_trace().events if it.level is Level.HIGH]
        assert high == [PinEvent(100_000, "13", Level.HIGH)]


def test_warnings_and_what_chips_say_are_notes(tmp_path: Path) -> None:
    service = ScriptedService(warnings=["an old part"])
    with booted(service, tmp_path) as board:
        told = {"chip": "inverter", "message": "hello"}
        event = Event(event="chips:log", payload=told, nanos=0, paused=False)
        service.once["sim:resume"] = encode(event)
        board.advance(1)
        assert board.notes == ("an old part", "inverter: hello")


# ------------------------------------------------------------------------- firmware
def image(folder: Path, main: str, **metadata: str) -> FirmwareImage:
    for name in ("firmware.elf", "firmware.hex", "firmware.bin", "firmware.uf2"):
        (folder / name).write_text(name)
    (folder / "boot.bin").write_text("boot")
    files = {it.name: it for it in folder.iterdir()}
    kept = {name: it for name, it in files.items() if name in main.split()}
    return FirmwareImage(
        environment="any",
        elf_path=files[main.split(maxsplit=1)[0]],
        sha256="0" * 64,
        artifacts=kept,
        metadata=metadata,
    )


@pytest.mark.parametrize(
    ("board", "files", "started"),
    [
        ("wokwi-uno", "firmware.elf firmware.hex", "firmware.hex"),
        ("wokwi-mega", "firmware.elf", "firmware.elf"),
        ("wokwi-pico", "firmware.elf firmware.uf2", "firmware.uf2"),
        ("wokwi-stm32-bluepill", "firmware.elf firmware.bin", "firmware.elf"),
        ("wokwi-stm32-c031c6", "firmware.bin", "firmware.bin"),
    ],
)
def test_a_board_is_given_the_file_that_it_takes(
    tmp_path: Path, board: str, files: str, started: str
) -> None:
    service = ScriptedService()
    with running(service):
        spec = at_service(service, board)
        with closing(engine().boot(spec, image(tmp_path, files))):
            assert service.params_of("sim:start")["firmware"] == started
            assert service.files[started] == started.encode()
            has_elf = "firmware.elf" in files
            named = service.params_of("sim:start").get("elf")
            assert named == ("firmware.elf" if has_elf else None)


def test_all_of_an_esps_flash_is_one_file(tmp_path: Path) -> None:
    service = ScriptedService()
    flash = {"flash_images": "0x2=boot.bin", "application_offset": "0x8"}
    built = image(tmp_path, "firmware.elf firmware.bin boot.bin", **flash)
    with running(service):
        engine().boot(at_service(service, "wokwi-esp32"), built).close()
    assert service.files["firmware.bin"] == b"\xff\xffboot\xff\xfffirmware.bin"
    drawn = json.loads(str(service.files["diagram.json"]))
    assert drawn["parts"][0]["type"] == "board-esp32-devkit-c-v4"
    assert ["mcu:TX", "$serialMonitor:RX", ""] in drawn["connections"]


def test_what_is_no_firmware_for_a_board_is_refused(tmp_path: Path) -> None:
    spec = at_service(ScriptedService(url="ws://127.0.0.1:1"), "wokwi-pico")
    with pytest.raises(ConfigError, match=r"has no \.uf2 or \.elf file"):
        engine().boot(spec, image(tmp_path, "firmware.bin"))
    esp = at_service(ScriptedService(url="ws://127.0.0.1:1"), "wokwi-esp32")
    far = image(tmp_path, "firmware.bin", application_offset="0x1000000")
    with pytest.raises(DoesNotFit, match="ends at 0x100000c of its flash"):
        engine().boot(esp, far)


# ------------------------------------------------------------------------- diagrams
def drawn(
    folder: Path, parts: Mapping[str, str], *wires: str, **options: str | float
) -> dict[str, Any]:
    file = folder / "diagram.json"
    file.write_text(diagram_text(parts, *wires))
    return {"diagram": str(file), **options}


@pytest.mark.parametrize(
    ("parts", "wires", "told"),
    [
        (
            {**UNO, "d": "embedbench-dht11"},
            [],
            "3: d: embedbench-dht11 is a part that Wokwi's cloud does not have",
        ),
        ({"d": "wokwi-led"}, [], "wokwi-uno is a part of type wokwi-arduino-uno, and"),
        ({**UNO, "two": UNO["uno"]}, [], "a second board"),
        (UNO, ["uno:13 - led:A"], "no part has the id 'led'"),
        ({**UNO, "c": "chip-it"}, [], "is a custom chip: say where it is"),
    ],
)
def test_what_no_server_can_run_is_refused_before(
    tmp_path: Path, parts: dict[str, str], wires: list[str], told: str
) -> None:
    service = ScriptedService(url="ws://127.0.0.1:1")
    spec = at_service(service, **drawn(tmp_path, parts, *wires))
    with pytest.raises(ConfigError, match=told):
        engine().boot(spec, avr_hex(tmp_path))


def test_custom_chips_are_uploaded(tmp_path: Path) -> None:
    listed = '[wokwi]\nversion = 1\n[[chip]]\nname = "it"\nbinary = "made/it.wasm"\n'
    (tmp_path / "wokwi.toml").write_text(listed)
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "it.wasm").write_bytes(b"\0asm")
    (tmp_path / "made" / "it.json").write_text('{"name": "it"}')
    service = ScriptedService()
    with booted(service, tmp_path, **drawn(tmp_path, {**UNO, "c": "chip-it"})):
        assert service.files["it.chip.json"] == '{"name": "it"}'
        assert service.files["it.chip.wasm"] == b"\0asm"
        assert service.params_of("sim:start")["chips"] == ["it"]


def test_a_circuit_is_handled_by_its_names(tmp_path: Path) -> None:
    parts = {**UNO, "btn": "wokwi-pushbutton", "ili": "wokwi-something-new"}
    parts |= {"gas": "wokwi-gas-sensor"}
    service = ScriptedService()
    with booted(service, tmp_path, **drawn(tmp_path, parts)) as board:
        circuit = board.circuit
        circuit.control("btn", "pressed", 1)
        circuit.control("ili", "anything", 2.5)
        assert service.params_of("control:set")["value"] == 2.5
        for part, name, error, told in [
            ("bnt", "pressed", UnknownName, "no part of the circuit named 'bnt'"),
            ("btn", "presed", UnknownName, "known controls of wokwi-pushbutton"),
            ("btn", "pressed", ConfigError, "pressed cannot be 7"),
            ("gas", "ppm", ConfigError, "Wokwi's cloud does not have"),
        ]:
            with pytest.raises(error, match=told):
                circuit.control(part, name, 7)
        with pytest.raises(UnknownName, match="no pin of wokwi-pushbutton named 'A'"):
            circuit.level(Endpoint("btn", "A"))
        with pytest.raises(NotSupported, match="anything of ili is not to be seen: "):
            circuit.observe("ili", "anything")
        with pytest.raises(NotSupported, match="nobody keeps what nets did"):
            circuit.record()
        assert circuit.framebuffer_png("ili") == b"\x89PNG"
        circuit.touch("ili", "press", x=1, y=2, lasts_ns=50)
        assert service.params_of("touch:event")["releaseAfter"] == 50


# ------------------------------------------------------------------ where a board runs
HERE, THERE = "uno", "wokwi-uno"
KNOWN, NEW = {**UNO, "l": "wokwi-led"}, {**UNO, "n": "wokwi-something-new"}


@pytest.mark.parametrize(
    ("parts", "options", "runs"),
    [
        (None, {}, HERE),
        (KNOWN, {}, HERE),
        (NEW, {}, THERE),
        (KNOWN, {"server": "ws://there"}, THERE),
        (KNOWN, {"backend": "cloud"}, THERE),
        (NEW, {"backend": "local"}, HERE),
        (KNOWN, {"backend": "local", "server": "ws://there"}, HERE),
    ],
)
def test_a_board_runs_here_where_it_can(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parts: dict[str, str] | None,
    options: dict[str, str],
    runs: str,
) -> None:
    monkeypatch.delenv("WOKWI_CLI_SERVER", raising=False)
    registry = Registry()
    spec = registry.board("wokwi-uno")
    chosen = options if parts is None else drawn(tmp_path, parts, **options)
    booted = stand_in(registry, replace(spec, options={**spec.options, **chosen}))
    assert booted.name == runs
    assert booted.options.get("diagram") == chosen.get("diagram")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"backend": "local"}, "local: wokwi-esp32 runs in the cloud alone"),
        ({"listen": "13"}, "'13' is no pin: write part:pin"),
        ({"backend": "here"}, "must be one of auto, local, cloud"),
        ({"server": "https://wokwi.com"}, "'https://wokwi.com' is no server: write ws"),
        ({"server": "ws://:9177"}, "is no server"),
        ({"server": "ws://host:port"}, "is no server"),
        ({"server": "localhost:9177"}, "is no server"),
    ],
)
def test_options_that_make_no_sense_are_told(
    options: dict[str, str], told: str
) -> None:
    spec = Registry().board("wokwi-esp32")
    with pytest.raises(ConfigError, match=told):
        engine().stand_in(replace(spec, options={**spec.options, **options}))
