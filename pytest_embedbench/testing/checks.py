"""One ``check_*`` per seam: an implementation that passes is a citizen."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, ContractViolation, NotSupported
from pytest_embedbench.model import Capability, Level

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.contracts import Board, Builder, Engine, Plant, StateT
    from pytest_embedbench.model import (
        BoardSpec,
        Chunk,
        FirmwareImage,
        FirmwareSource,
    )

CHECKED_MS = 300
STEP_MS = 10
TICK_COUNT = 50


def check_engine(engine: Engine, spec: BoardSpec, image: FirmwareImage) -> None:
    """Insist on the promises of ``Engine``, ``Board`` and ``Link``.

    ``image`` has to run for 300 ms without a fault; it is booted more than once.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    missing = engine.missing()
    _insist(missing is None, f"{missing}")
    _insist(engine.version().strip(), "version() must name the engine")
    board = engine.boot(spec, image)
    try:
        _insist(board.spec == spec, "spec must be what the board was booted from")
        _check_time(board)
        _check_link(board)
        _check_pins(board)
        _supported(board, Capability.RESET, board.reset)
        board.advance(STEP_MS)
    finally:
        board.close()
        board.close()
    if Capability.VIRTUAL_TIME in board.capabilities:
        _check_steps_do_not_matter(engine, spec, image)


def _check_time(board: Board) -> None:
    before_us = board.now_us()
    board.advance(STEP_MS)
    passed_us = board.now_us() - before_us
    if Capability.VIRTUAL_TIME in board.capabilities:
        exact = passed_us == STEP_MS * 1000
        _insist(exact, f"advance({STEP_MS}) took {passed_us} us")
    else:
        enough = passed_us >= STEP_MS * 1000
        _insist(enough, f"advance({STEP_MS}) took only {passed_us} us")
    for nonsense in (-1, 1.5):
        try:
            board.advance(nonsense)  # type: ignore[arg-type]
        except ConfigError:
            continue
        raise ContractViolation(f"advance({nonsense}) must raise ConfigError")
    now_us = board.now_us()
    board.link().receive()
    stands_still = board.now_us() == now_us
    hosts_time = Capability.VIRTUAL_TIME not in board.capabilities
    _insist(stands_still or hosts_time, "time passed outside advance()")


def _check_link(board: Board) -> None:
    link = board.link()
    link.receive()
    _insist(not link.receive(), "receive() must drain, and must not wait")
    link.send(b"")
    link.send(b"embedbench\n")
    for uart in board.spec.uarts:
        board.link(uart.name).receive()
    # Where time is the host's, the firmware talks while nobody looks, too.
    exact = Capability.VIRTUAL_TIME in board.capabilities
    since_us = board.now_us() if exact else 0
    board.advance(100)
    chunks = link.receive()
    stamps = [chunk.at_us for chunk in chunks]
    until_us = board.now_us()
    _insist(stamps == sorted(stamps), f"stamps go backwards: {stamps}")
    _insist(
        all(since_us <= stamp <= until_us for stamp in stamps),
        f"stamps {stamps} are outside the step {since_us}..{until_us}",
    )
    _insist(all(chunk.data for chunk in chunks), "a chunk is never empty")
    _insist(
        all(b"\n" not in chunk.data[:-1] for chunk in chunks),
        "a chunk ends at its first newline",
    )


def _check_pins(board: Board) -> None:
    pin = next(iter(board.spec.pins), "")
    _supported(board, Capability.READ_PINS, board.pin_trace)
    if pin:
        _supported(
            board, Capability.DRIVE_PINS, lambda: board.drive_pin(pin, Level.FLOATING)
        )
    analog = [pin.name for pin in board.spec.pins.values() if pin.adc is not None]
    if analog or Capability.ANALOG not in board.capabilities:
        name = analog[0] if analog else pin
        _supported(board, Capability.ANALOG, lambda: board.set_analog(name, 0))


def _supported(board: Board, capability: Capability, call: Callable[[], Any]) -> None:
    """Insist that a call works exactly if the board says that it can do it."""
    try:
        call()
    except NotSupported:
        works = False
    else:
        works = True
    claimed = capability in board.capabilities
    _insist(
        works == claimed,
        f"{capability.value} is {'claimed' if claimed else 'not claimed'}, "
        f"but {'works' if works else 'raises NotSupported'}",
    )


def _check_steps_do_not_matter(
    engine: Engine, spec: BoardSpec, image: FirmwareImage
) -> None:
    def lines(step_ms: int) -> list[tuple[int, bytes]]:
        board = engine.boot(spec, image)
        try:
            chunks: list[Chunk] = []
            for _ in range(CHECKED_MS // step_ms):
                board.advance(step_ms)
                chunks += board.link().receive()
        finally:
            board.close()
        return _whole_lines(chunks)

    whole, halves, small = lines(CHECKED_MS), lines(CHECKED_MS // 2), lines(STEP_MS)
    _insist(whole == lines(CHECKED_MS), "two equal runs differ")
    same = whole == halves == small
    _insist(same, "stamps depend on how time is cut into steps")


def _whole_lines(chunks: list[Chunk]) -> list[tuple[int, bytes]]:
    lines: list[tuple[int, bytes]] = []
    pending = b""
    for chunk in chunks:
        pending += chunk.data
        if pending.endswith(b"\n"):
            lines.append((chunk.at_us, pending))
            pending = b""
    return lines


def check_plant(plant: Plant[StateT], lines: tuple[str, ...] = ()) -> None:
    """Insist that a plant is a pure, deterministic function of its state.

    ``lines`` are firmware lines that it obeys; they are given to it in turn.

    Raises:
        ContractViolation: naming the promise that was broken.
    """

    def run() -> list[StateT]:
        states = [plant.initial()]
        for index in range(TICK_COUNT):
            state = states[-1]
            if lines:
                state = plant.actuate(state, lines[index % len(lines)])
            states.append(plant.step(state))
        return states

    states = run()
    _insist(states == run(), "two runs differ: the plant is not deterministic")
    _insist(plant.tick_ms > 0, "tick_ms must be positive")
    for state in states:
        _check_state(state)
        unmoved = plant.actuate(state, "no such line") == state
        _insist(unmoved, "it obeys any line")
        _insist(plant.sense(state) == plant.sense(state), "sense() is not pure")
        for line in plant.sense(state):
            _insist(line.isprintable(), f"{line!r} is not one printable line")
    names = _field_names(states[0])
    for name in plant.thresholds:
        is_field = name in names
        _insist(is_field, f"threshold {name!r} is no field of the state: {names}")


def _check_state(state: object) -> None:
    kind = type(state).__name__
    _insist(is_dataclass(state), f"the state is a {kind}, no dataclass")
    _insist(hash(state) == hash(state), "the state must be frozen")
    for name in _field_names(state):
        value = getattr(state, name)
        _insist(isinstance(value, int), f"{name} is {value!r}, neither int nor bool")


def _field_names(state: object) -> list[str]:
    return [field.name for field in fields(state)]  # type: ignore[arg-type]


def check_builder(builder: Builder, source: FirmwareSource, out_dir: Path) -> None:
    """Insist that a builder gives what it says: ``source`` has to compile.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    fingerprint = builder.fingerprint(source)
    again = builder.fingerprint(source)
    _insist(fingerprint == again, "equal sources, unequal digests")
    image = builder.build(source, out_dir)
    since = builder.fingerprint(source)
    _insist(fingerprint == since, "building changes the source")
    same = image.environment == source.environment
    _insist(same, "it built another environment")
    _insist(image.elf_path.is_file(), f"{image.elf_path} is not there")
    inside = image.elf_path.is_relative_to(out_dir)
    _insist(inside, "the ELF is outside out_dir")
    digest = hashlib.sha256(image.elf_path.read_bytes()).hexdigest()
    _insist(image.sha256 == digest, "sha256 is not that of the ELF file")
    for name, path in image.artifacts.items():
        _insist(path.is_file(), f"artifact {name} ({path}) is not there")


def _insist(kept: object, promise: str) -> None:
    """Raise unless a promise is kept; no ``assert``, which ``python -O`` leaves out."""
    if not kept:
        raise ContractViolation(promise)
