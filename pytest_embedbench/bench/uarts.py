"""A board's UARTs, each with a conversation of its own; time is the same for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.artifacts import new_file
from pytest_embedbench.bench.live_lines import listener_for
from pytest_embedbench.bench.recorder import Recorder
from pytest_embedbench.bench.uart_session import UartSession
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wire.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.model import UartSpec


def first_of(session: UartSession) -> UartSession:
    """Return the first UART of a UART's board, on whose time it lives."""
    timebase = session.timebase
    return timebase.first if isinstance(timebase, _FirstUartsTime) else session


@dataclass(frozen=True, slots=True)
class _FirstUartsTime:
    """Lets time pass as the first UART does: with the plant, once there is one."""

    first: UartSession

    def advance(self, duration_ms: int) -> None:
        self.first.timebase.advance(duration_ms)


@dataclass(slots=True, repr=False)
class Uarts(Mapping[str, UartSession]):
    """The conversations by their names in the datasheet (``serial1``).

    One begins when it is first asked for; what was said before is there then. Each has
    its cursor, and its transcript in ``transcript-NAME.log``.

    Raises:
        ConfigError: the board has no such UART.
    """

    first: UartSession
    folder: Path
    _opened: dict[str, UartSession] = field(
        default_factory=dict[str, UartSession], init=False
    )
    _logs: list[TextIO] = field(default_factory=list["TextIO"], init=False)

    def __post_init__(self) -> None:
        self._opened[next(iter(self))] = self.first

    def __repr__(self) -> str:
        return f"<Uarts {', '.join(self)}>"

    def __iter__(self) -> Iterator[str]:
        return (uart.name for uart in self.first.recorder.board.spec.uarts)

    def __len__(self) -> int:
        return len(self.first.recorder.board.spec.uarts)

    def __getitem__(self, name: str) -> UartSession:
        if name not in self._opened:
            self._opened[name] = self._open(self._spec(name))
        return self._opened[name]

    def close(self) -> None:
        """Write down what came last; the board has been closed."""
        for recorder in self.first.recorder.group[1:]:
            recorder.pull()
            recorder.take_pending()
            recorder.transcript.flush()
        for log in self._logs:
            log.close()
        self._logs.clear()

    def _open(self, uart: UartSpec) -> UartSession:
        main = self.first.recorder
        path = self.folder / f"transcript-{uart.name}.log"
        log = new_file(path)
        self._logs.append(log)
        recorder = Recorder(
            main.board,
            main.board.link(uart.name),
            Transcript(
                log, listener=listener_for(f"{main.board.spec.name} {uart.name}")
            ),
            path=path,
            elf_path=main.elf_path,
            uart=uart,
        )
        main.add(recorder)
        return UartSession(recorder, _FirstUartsTime(self.first))

    def _spec(self, name: str) -> UartSpec:
        spec = self.first.recorder.board.spec
        for uart in spec.uarts:
            if uart.name == name:
                return uart
        raise ConfigError(
            f"{spec.name} has no UART {name!r}; it has: {', '.join(self)}"
        )
