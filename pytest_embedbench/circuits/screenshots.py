"""Pictures of parts: taken, kept, and compared with those that they have to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.circuits.framebuffers import WITH_FRAMEBUFFER, framebuffer
from pytest_embedbench.circuits.picture_reading import READ_OFF, unlike
from pytest_embedbench.circuits.png_file import decode_png, encode_png
from pytest_embedbench.contracts import ShowsPictures
from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.circuits.circuit_part import CircuitPart
    from pytest_embedbench.circuits.png_file import Picture
    from pytest_embedbench.circuits.scenario_values import Screenshot


def check_screenshot(
    circuit: Circuit, given: Screenshot, folder: Path, where: str
) -> None:
    """Take the picture of a part now; keep it, compare it, or both.

    Args:
        circuit: Where the part is.
        given: Which part, and files by their paths from ``folder`` on.
        folder: Where the scenario is.
        where: What messages call the step.

    Raises:
        AssertionError: it is another than ``compare_with``.
        ConfigError: ``compare_with`` is not there, or no PNG.
        NotSupported: no picture is made of such a part.
    """
    part = circuit[given.part]
    if given.compare_with and not given.save_to and _is_read_off(circuit, part):
        wanted = _wanted(folder, given.compare_with)
        note = f"{where}: {given.part}: Wokwi's picture is read, not matched by pixels"
        circuit.bench.uart.recorder.note(note)
        if difference := unlike(part.type, wanted, part.seen()):
            raise _differs(where, given, difference)
        return
    picture = _taken(circuit, part)
    if given.save_to:
        _save(folder / given.save_to, picture)
    if given.compare_with:
        difference = _difference(picture, _wanted(folder, given.compare_with))
        if difference:
            shown = circuit.bench.folder / f"{given.part}-shown.png"
            _save(shown, picture)
            raise _differs(where, given, f"{difference}; what it shows is in {shown}")


def _is_read_off(circuit: Circuit, part: CircuitPart) -> bool:
    is_drawn = isinstance(circuit.board_circuit, ShowsPictures)
    return part.type in READ_OFF and not is_drawn


def _taken(circuit: Circuit, part: CircuitPart) -> Picture:
    board = circuit.board_circuit
    if isinstance(board, ShowsPictures):
        return decode_png(board.framebuffer_png(part.id), f"the picture of {part.id}")
    if part.type not in WITH_FRAMEBUFFER:
        known = ", ".join((*WITH_FRAMEBUFFER, *READ_OFF))
        raise NotSupported(
            f"{part.id}: no picture is made of a {part.type} here; types that can be "
            f"compared: {known}"
        )
    return framebuffer(part.type, lambda name: board.observe(part.id, name))


def _wanted(folder: Path, name: str) -> Picture:
    file = folder / name
    try:
        return decode_png(file.read_bytes(), name)
    except OSError as error:
        raise ConfigError(
            f"{name}: cannot be read from {folder} ({error.strerror}): take it with "
            "save-to, and look at it"
        ) from error


def _save(file: Path, picture: Picture) -> None:
    try:
        replace_whole(file, encode_png(picture))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from error


def _difference(shown: Picture, wanted: Picture) -> str:
    """Say what is different, pixel by pixel; nothing if they are alike."""
    sizes = (shown.width, shown.height), (wanted.width, wanted.height)
    if sizes[0] != sizes[1]:
        told = [f"{width} x {height}" for width, height in sizes]
        return f"it is {told[0]} pixels large, and {told[1]} are expected"
    places = [(x, y) for y in range(shown.height) for x in range(shown.width)]
    others = [at for at in places if shown.pixel(*at) != wanted.pixel(*at)]
    if not others:
        return ""
    is_now, is_to_be = shown.pixel(*others[0]), wanted.pixel(*others[0])
    first = f"the first at x, y = {others[0]} is {is_now} and not {is_to_be}"
    return f"{len(others)} of {len(places)} pixels are others: {first}"


def _differs(where: str, given: Screenshot, what: str) -> AssertionError:
    return AssertionError(
        f"{where}: {given.part} does not look like {given.compare_with}: {what}"
    )
