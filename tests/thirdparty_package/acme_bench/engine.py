"""An engine: boards that run rules in virtual time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acme_bench.rules import parse
from pytest_embedbench import (
    BoardLost,
    Capability,
    Chunk,
    ConfigError,
    FirmwareFault,
    UnknownName,
    option,
    read_options,
)

if TYPE_CHECKING:
    from acme_bench.rules import Program, Rule
    from pytest_embedbench import BoardSpec, FirmwareImage, ToolMissing


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """What a board may say under ``[options]``."""

    answers_after_ms: int = option(1, "how long the firmware thinks", lowest=0)


@dataclass(slots=True)
class RuleLink:
    """The one UART."""

    board: RuleBoard

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the firmware."""
        self.board.hear(data)

    def receive(self) -> list[Chunk]:
        """Return what the firmware has said since the last call."""
        said = [chunk for chunk in self.board.due if chunk.at_us <= self.board.now_us()]
        del self.board.due[: len(said)]
        return said


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class RuleBoard:
    """A board with a UART, a clock and a reset button; it has no pins."""

    spec: BoardSpec
    program: Program
    answers_after_us: int
    virtual_time: bool = True
    fired: list[Rule] = field(default_factory=list["Rule"], init=False)
    """The rules that did, in order: for whoever wants to know."""
    due: list[Chunk] = field(default_factory=list[Chunk], init=False)
    _now_us: int = field(default=0, init=False)
    _heard: bytes = field(default=b"", init=False)
    _ignored_count: int = field(default=0, init=False)
    _closed: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return f"<RuleBoard {self.spec.name} at {self._now_us / 1e6:.6f} s>"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a failure quotes: lines that no rule is about."""
        if not self._ignored_count:
            return ()
        return (f"{self._ignored_count} lines were about nothing that any rule knows",)

    def link(self, uart: str = "") -> RuleLink:
        """Return the link of the one UART."""
        name = self.spec.uarts[0].name
        if uart not in ("", name):
            raise UnknownName("uart", uart, [name])
        return RuleLink(self)

    def now_us(self) -> int:
        """Return simulated time since boot."""
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        """Let time pass; what is due by then can be received."""
        if self._closed:
            raise BoardLost(f"{self.spec.name} is closed")
        if duration_ms < 0 or duration_ms % 1:
            raise ConfigError(f"duration_ms: {duration_ms!r} is no whole number")
        self._now_us += duration_ms * 1000

    def reset(self) -> None:
        """Start over; time goes on."""
        self._heard = b""
        self.due = [chunk for chunk in self.due if chunk.at_us <= self._now_us]
        self.say(self.program.boot)

    def close(self) -> None:
        """Switch it off."""
        self._closed = True

    def hear(self, data: bytes) -> None:
        """Obey the lines that ``data`` completes."""
        if self._closed:
            raise BoardLost(f"{self.spec.name} is closed")
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            text = line.decode("utf-8", "replace").strip()
            rules = [rule for rule in self.program.rules if rule.fires(text)]
            self.fired += rules
            self._ignored_count += not any(
                text.startswith(rule.topic) for rule in self.program.rules
            )
            self.say(tuple(rule.says for rule in rules))

    def say(self, lines: tuple[str, ...]) -> None:
        """Say these lines as soon as the firmware has thought."""
        at_us = self._now_us + self.answers_after_us
        self.due += [Chunk(at_us, line.encode() + b"\n") for line in lines]


class RuleEngine:
    """Boots images of ``RuleBuilder``."""

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> RuleBoard:
        """Start ``image`` on ``spec`` at time 0."""
        options = read_options(spec, RuleOptions)
        program = parse(image.elf_path.read_text("utf-8"), image.elf_path.name)
        if program.complaints:
            raise FirmwareFault(f"not a program of rules: {program.complaints[0]}")
        board = RuleBoard(
            spec=spec,
            program=program,
            answers_after_us=options.answers_after_ms * 1000,
        )
        board.say(program.boot)
        return board

    def check(self, spec: BoardSpec) -> None:
        """Raise ``ConfigError`` for a board that could never be booted."""
        read_options(spec, RuleOptions)

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what any board of this engine can."""
        del spec
        return frozenset({Capability.VIRTUAL_TIME, Capability.RESET})

    def missing(self) -> ToolMissing | None:
        """Say that nothing is."""
        return None

    def version(self) -> str:
        """Name the engine, for reports."""
        return "acme rules 1.0"
