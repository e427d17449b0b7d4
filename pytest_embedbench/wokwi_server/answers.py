"""What each command does to a session, and what comes of it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.circuits.framebuffers import WITH_FRAMEBUFFER, framebuffer
from pytest_embedbench.circuits.png_file import encode_png
from pytest_embedbench.circuits.vcd import channels_vcd
from pytest_embedbench.errors import ConfigError, NotSupported, UnknownName
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wokwi.names import CommandName
from pytest_embedbench.wokwi_server.pause_points import read_pause_point
from pytest_embedbench.wokwi_server.pin_states import pin_state
from pytest_embedbench.wokwi_server.starting import sections_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.wokwi.fields import Fields
    from pytest_embedbench.wokwi_server.session import ClientSession

    Answer = dict[str, Any]

_ANALYZER, _CARD = "wokwi-logic-analyzer", "wokwi-microsd-card"
_CHANNELS = 8


def answer(session: ClientSession, command: str, fields: Fields) -> Answer:
    """Do what a command says; return its result.

    Raises:
        BadFrame: its parameters are none.
        EmbedbenchError: it cannot be done.
    """
    if command not in _ANSWERS:
        raise UnknownName("command", command, _ANSWERS)
    return _ANSWERS[command](session, fields) or {}


# ---------------------------------------------------------------------------- files
def _upload(session: ClientSession, fields: Fields) -> None:
    name = fields.text("name")
    content = fields.text("text") if "text" in fields else fields.base64("binary")
    session.uploads.put(name, content)


def _download(session: ClientSession, fields: Fields) -> Answer:
    return session.uploads.given(fields.text("name"))


# ----------------------------------------------------------------------- simulation
def _start(session: ClientSession, fields: Fields) -> None:
    paused = fields.flag("pause", default=False)
    session.start(sections_of(fields), paused=paused)


def _pause(session: ClientSession, _: Fields) -> None:
    session.tell(session.simulation.pause())


def _resume(session: ClientSession, fields: Fields) -> None:
    after_ns = fields.whole("pauseAfter") if "pauseAfter" in fields else None
    session.resume(after_ns)


def _restart(session: ClientSession, fields: Fields) -> None:
    session.restart(paused=fields.flag("pause", default=False))


def _status(session: ClientSession, _: Fields) -> Answer:
    simulation = session.simulation
    return {"running": simulation.is_running, "nanos": simulation.now_ns}


def _add_point(session: ClientSession, fields: Fields) -> None:
    point = read_pause_point(fields, session.now_ns)
    session.points[point.id] = point


def _remove_point(session: ClientSession, fields: Fields) -> None:
    session.points.pop(fields.text("id"), None)


# --------------------------------------------------------------------- serial, pins
def _hear(session: ClientSession, _: Fields) -> None:
    session.hear_serial()


def _write(session: ClientSession, fields: Fields) -> None:
    session.simulation.board.link().send(fields.octets("bytes"))


def _read_pin(session: ClientSession, fields: Fields) -> Answer:
    return pin_state(session.simulation.circuit, _pin(fields))


def _listen(session: ClientSession, fields: Fields) -> None:
    wanted = fields.flag("listen", default=True)
    session.simulation.listen(_pin(fields), wanted=wanted)


def _gpios(session: ClientSession, _: Fields) -> Answer:
    board = session.started
    names = (name.removeprefix("D") for name in board.spec.pins)
    return {"pins": [f"{board.board_id}:{name}" for name in names]}


def _pin(fields: Fields) -> Endpoint:
    return Endpoint(fields.text("part"), fields.text("pin"))


# ----------------------------------------------------------------------------- parts
def _control(session: ClientSession, fields: Fields) -> None:
    part, name = fields.text("part"), fields.text("control")
    session.simulation.circuit.control(part, name, fields.number("value"))


def _touch(session: ClientSession, fields: Fields) -> None:
    kind = _kind(session, fields.text("part"))
    raise NotSupported(f"{fields.text('part')}: a {kind} cannot be touched here")


def _framebuffer(session: ClientSession, fields: Fields) -> Answer:
    part = fields.text("id")
    kind = _kind(session, part)
    if kind not in WITH_FRAMEBUFFER:
        known = ", ".join(WITH_FRAMEBUFFER)
        raise NotSupported(
            f"{part}: no picture is made of a {kind} here, but of {known}"
        )
    circuit = session.simulation.circuit
    picture = framebuffer(kind, lambda name: circuit.observe(part, name))
    return {"png": base64.b64encode(encode_png(picture)).decode()}


def _vcd(session: ClientSession, _: Fields) -> Answer:
    part = _only(session, _ANALYZER, "")
    names = session.started.attrs[part].get("channelNames", "").split(",")
    given = [name.strip() for name in names] + [""] * _CHANNELS
    record = session.simulation.circuit.record()
    nets = {
        given[index] or f"D{index}": record.netlist.number_of(
            Endpoint(part, f"D{index}")
        )
        for index in range(_CHANNELS)
    }
    vcd, count = channels_vcd(record, nets)
    return {"vcd": vcd, "channelCount": len(nets), "sampleCount": count}


def _card(session: ClientSession, fields: Fields) -> Answer:
    if fields.text("format", "files") != "files":
        raise NotSupported("a card is given as its files here: ask for format files")
    part = _only(session, _CARD, fields.text("part", ""))
    seen = session.simulation.circuit.observe(part, "files")
    files = [
        {"name": name, "binary": base64.b64encode(content).decode()}
        for name, content in cast("Sequence[tuple[str, bytes]]", seen)
    ]
    return {"files": files}


def _kind(session: ClientSession, part: str) -> str:
    kinds = session.started.kinds
    if part not in kinds:
        raise UnknownName("part of the circuit", part, kinds)
    return kinds[part].name


def _only(session: ClientSession, kind: str, wanted: str) -> str:
    """Return a part of a kind by its id, or the only one.

    Raises:
        ConfigError: there is none, or more than one.
    """
    kinds = session.started.kinds
    found = [name for name, its in kinds.items() if its.name == kind]
    if wanted:
        found = [name for name in found if name == wanted]
    if len(found) != 1:
        named = f" called {wanted!r}" if wanted else ""
        count = len(found) or "no"
        raise ConfigError(
            f"the diagram has {count} {kind}{named}, and needs to have one"
        )
    return found[0]


_ANSWERS: Mapping[str, Callable[[ClientSession, Fields], Answer | None]] = {
    CommandName.FILE_UPLOAD: _upload,
    CommandName.FILE_DOWNLOAD: _download,
    CommandName.SIM_START: _start,
    CommandName.SIM_PAUSE: _pause,
    CommandName.SIM_RESUME: _resume,
    CommandName.SIM_RESTART: _restart,
    CommandName.SIM_STATUS: _status,
    CommandName.PAUSE_POINT_ADD: _add_point,
    CommandName.PAUSE_POINT_REMOVE: _remove_point,
    CommandName.SERIAL_LISTEN: _hear,
    CommandName.SERIAL_WRITE: _write,
    CommandName.PIN_READ: _read_pin,
    CommandName.PIN_LISTEN: _listen,
    CommandName.GPIO_LIST: _gpios,
    CommandName.CONTROL_SET: _control,
    CommandName.TOUCH: _touch,
    CommandName.FRAMEBUFFER_READ: _framebuffer,
    CommandName.READ_VCD: _vcd,
    CommandName.SDCARD_EXPORT: _card,
}
