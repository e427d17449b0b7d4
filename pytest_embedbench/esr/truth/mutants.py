"""Mistakes in pins and in logic, made of a sketch from its manifest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_embedbench.esr.truth.sketch import LogicBug, PinConstant, Sketch

RIGHT = "right"
LOGIC = "logic bug"
_DIGITAL = ("out", "pwm", "in", "inout", "interrupt")
_ANALOG_PINS = tuple(f"A{number}" for number in range(6))
_PINS = (*(str(number) for number in range(2, 14)), *_ANALOG_PINS)
"""Of an Uno, without its UART's."""
_ABLE = {"pwm": ("3", "5", "6", "9", "10", "11"), "interrupt": ("2", "3")}


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMutant:
    """A sketch with a mistake, in its circuit.

    ``twin`` is the name of the mutant that has the same logic and circuit and no wrong
    pin: its run says whether correcting pins can help. ``lenient`` says that it is no
    mistake to show only that another wiring fits.
    """

    name: str
    kind: str
    what: str
    text: str
    diagram: str
    twin: str
    lenient: bool = False


def mutants_of(sketch: Sketch) -> Sequence[PinMutant]:
    """Return the sketch itself and all its mutants, the same each time."""
    found = [_mutant(sketch, RIGHT, {})]
    found += [_mutant(sketch, kind, pins) for kind, pins in _wrong_pins(sketch)]
    for number, bug in enumerate(sketch.bugs, start=1):
        found += _with_bug(sketch, bug, number)
    for number, (signal, pin, why) in enumerate(sketch.unfit, start=1):
        kind = f"wired where it cannot work: {why}"
        diagram, twin = sketch.rewired(signal, pin), f"unfit{number}"
        for name, pins in ((twin, {signal: pin}), (f"{twin}-wrong-pin", {})):
            plain = _mutant(sketch, kind, pins)
            found.append(
                replace(plain, name=name, diagram=diagram, twin=twin, lenient=True)
            )
    # Two kinds of mistakes may come to the same.
    return list({(it.text, it.diagram): it for it in reversed(found)}.values())[::-1]


def _mutant(sketch: Sketch, kind: str, pins: Mapping[str, str]) -> PinMutant:
    moves = [f"{name} {sketch.signals[name].pin} -> {pins[name]}" for name in pins]
    return PinMutant(
        name=kind.replace(" ", "-"),
        kind=kind,
        what=", ".join(moves) or "pins as in the sketch",
        text=sketch.with_pins(pins),
        diagram=sketch.diagram,
        twin=RIGHT,
        lenient=any(signal.kind == "bit" for signal in sketch.signals.values()),
    )


def _with_bug(sketch: Sketch, bug: LogicBug, number: int) -> Iterator[PinMutant]:
    """Yield a logic bug alone, and together with the first mistake in pins."""
    twin = f"logic{number}"
    no_pins: Mapping[str, str] = {}
    ways: list[tuple[str, str, Mapping[str, str]]] = [(twin, LOGIC, no_pins)]
    for _, wrong in islice(_wrong_pins(sketch), 1):
        ways.append((f"{twin}-wrong-pin", f"{LOGIC} and wrong pin", wrong))
    for name, kind, pins in ways:
        plain = _mutant(sketch, kind, pins)
        yield replace(
            plain,
            name=name,
            what=f"{bug.old!r} is {bug.new!r}; {plain.what}",
            text=plain.text.replace(bug.old, bug.new),
            twin=twin,
        )


def _wrong_pins(sketch: Sketch) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield kinds of mistakes, each with the pins it changes."""
    signals = _drawn(sketch.signals.values(), sketch.name)
    digital = [signal for signal in signals if signal.kind in _DIGITAL]
    analog = [signal for signal in signals if signal.kind in ("analog", "channel")]
    if singles := digital or [it for it in signals if it.kind == "bit"]:
        yield "one wrong pin", _moved(sketch, singles[:1])
    if len(digital) > 2:  # noqa: PLR2004  # three are moved
        yield "three wrong pins", _moved(sketch, digital[:3])
    yield from _swaps(digital)
    if analog:
        yield "wrong analog channel", _moved(sketch, analog[:1])
    if len(analog) > 1:
        yield "swapped analog channels", _swapped(*analog[:2])
    if len(digital) > 1:
        yield "two constants on one number", {digital[0].name: digital[1].pin}
    for names in sketch.blocks.values():
        if shifted := _shifted(sketch, names):
            yield "block shifted", shifted
    if len(digital) > 1 and not {signal.pin for signal in signals} & {"2", "3"}:
        yield "pins 2 and 3", {digital[0].name: "2", digital[1].name: "3"}
    if sketch.serial and digital:
        names = [signal.name for signal in digital]
        yield "pins 0 and 1", dict(zip(names, "01", strict=False))
    yield from _capabilities(sketch, digital)


def _drawn(signals: Iterable[PinConstant], seed: str) -> Sequence[PinConstant]:
    """Return signals in an order that is the same each time, and not the sketch's."""

    def draw(signal: PinConstant) -> str:
        return hashlib.sha256(f"{seed} {signal.name}".encode()).hexdigest()

    return sorted(signals, key=draw)


def _swaps(digital: Sequence[PinConstant]) -> Iterator[tuple[str, Mapping[str, str]]]:
    pairs = list(combinations(digital, 2))
    for kind, is_alike in (("swapped alike", True), ("swapped across kinds", False)):
        fitting = [(a, b) for a, b in pairs if (a.kind == b.kind) is is_alike]
        if fitting:
            yield kind, _swapped(*fitting[0])


def _swapped(one: PinConstant, other: PinConstant) -> Mapping[str, str]:
    return {one.name: other.pin, other.name: one.pin}


def _capabilities(
    sketch: Sketch, digital: Sequence[PinConstant]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield PWM's signals on plain pins, and others on pins that have PWM."""
    able = _ABLE["pwm"]
    faded = [signal for signal in digital if signal.kind == "pwm"]
    plain = [it for it in digital if it.kind != "pwm" and it.pin not in able]
    for kind, signals, wants in (
        ("PWM on a plain pin", faded, False),
        ("polled on a PWM pin", plain, True),
    ):
        places = [pin for pin in _free(sketch) if (pin in able) is wants]
        if signals and places:
            yield kind, {signals[0].name: _one_of(places, sketch, kind)}


def _moved(sketch: Sketch, signals: Sequence[PinConstant]) -> Mapping[str, str]:
    """Return free pins for some signals, of those that can do it where there are."""
    moved: dict[str, str] = {}
    for signal in signals:
        places = [pin for pin in _places(sketch, signal) if pin not in moved.values()]
        moved[signal.name] = _one_of(places, sketch, signal.name)
    return moved


def _one_of(places: Sequence[str], sketch: Sketch, why: str) -> str:
    digest = hashlib.sha256(f"{sketch.name} {why}".encode()).digest()
    return places[int.from_bytes(digest[:4]) % len(places)]


def _places(sketch: Sketch, signal: PinConstant) -> Sequence[str]:
    if signal.kind in ("channel", "bit"):
        taken = {it.pin for it in sketch.signals.values() if it.kind == signal.kind}
        return [number for number in "012345" if number not in taken]
    free = _free(sketch)
    if signal.kind == "analog":
        return [pin for pin in _ANALOG_PINS if pin in free]
    able = _ABLE.get(signal.kind, _PINS)
    return [pin for pin in free if pin in able] or free


def _free(sketch: Sketch) -> Sequence[str]:
    """Return the pins that nothing of the circuit's is at."""
    return [pin for pin in _PINS if f'"uno:{pin}"' not in sketch.diagram]


def _shifted(sketch: Sketch, names: Sequence[str]) -> Mapping[str, str]:
    """Return a block by some pins further, where that meets nothing else."""
    block = [sketch.signals[name] for name in names]
    others = {it.pin for it in sketch.signals.values()} - {it.pin for it in block}
    others |= set(sketch.bus)
    for by in (1, -1, 2, -2, 3):
        pins = {
            it.name: _PINS[at]
            for it in block
            if 0 <= (at := _PINS.index(it.pin) + by) < len(_PINS)
        }
        if len(pins) == len(block) and not others & set(pins.values()):
            return pins
    return {}
