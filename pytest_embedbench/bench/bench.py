"""What a test holds: a board, the talk with it, and the plants it controls."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pytest_embedbench.bench.artifacts import TRANSCRIPT, new_file
from pytest_embedbench.bench.buttons import (
    power_cycle,
    power_off,
    power_on,
    press_reset,
)
from pytest_embedbench.bench.closed_loop import FREE_RUN, ClosedLoop, Invariants
from pytest_embedbench.bench.coupling import IN_STEP, Coupling
from pytest_embedbench.bench.live_lines import listener_for
from pytest_embedbench.bench.loop_checks import check_run
from pytest_embedbench.bench.loop_files import LoopFiles
from pytest_embedbench.bench.recorder import Recorder
from pytest_embedbench.bench.restarts import expect_restart
from pytest_embedbench.bench.run import summarize
from pytest_embedbench.bench.uart_session import BOOT_WITHIN_MS, UartSession
from pytest_embedbench.bench.uarts import Uarts
from pytest_embedbench.bench.under_test import identity, under_test
from pytest_embedbench.contracts import Board, lacking
from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.support.values import check_fields
from pytest_embedbench.wire.patterns import exact
from pytest_embedbench.wire.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.bench.dut import Dut
    from pytest_embedbench.bench.run import Run
    from pytest_embedbench.bench.scenario import Scenario
    from pytest_embedbench.contracts import Plant, StateT
    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.model import PinTrace
    from pytest_embedbench.wire.patterns import Match, Patterns

_holders: WeakValueDictionary[int, Bench] = WeakValueDictionary()
"""The bench of each board, by the board's identity."""


@dataclass(slots=True, repr=False, eq=False, weakref_slot=True)
class Bench:
    """A running board on the bench, with its evidence going to ``folder``.

    ``folder`` exists and has no evidence in it yet. ``boot_line`` is what the
    firmware says, as a whole line, once per boot; ``elf_path`` is what the board runs,
    to decode backtraces with. Whoever makes a bench closes it; that writes
    ``trace.csv``, ``metrics.json`` and, with ``plots``, ``plot.svg`` for its loop
    (``trace-2.csv`` and so on for further ones), and closes the board.

    Raises:
        ConfigError: another bench has the board: each would hear half of what it says;
            or it is no board.
    """

    board: Board
    folder: Path
    boot_line: str = field(default="", kw_only=True)
    elf_path: Path | None = field(default=None, kw_only=True)
    plots: bool = field(default=True, kw_only=True)
    uart: UartSession = field(init=False)
    """The board's first UART."""
    uarts: Uarts = field(init=False)
    """All of them, by name."""
    loops: list[ClosedLoop[Any]] = field(
        default_factory=list[ClosedLoop[Any]], init=False
    )
    dut_if_used: Dut | None = field(default=None, init=False)
    """What ``dut`` is, once anybody has asked for it."""
    _recorder: Recorder = field(init=False)
    _log: TextIO = field(init=False)
    _closed: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        name, now_s = self.board.spec.name, self.uart.now_us / 1e6
        return f"<Bench with {name} at {now_s:.6f} s: {len(self.transcript)} lines>"

    def __post_init__(self) -> None:
        self._take_board()
        at = self.folder / TRANSCRIPT
        self._log = new_file(at)
        self.board = board = under_test(self.board)
        said = Transcript(self._log, listener=listener_for(board.spec.name))
        self._recorder = Recorder(
            board, board.link(), said, path=at, elf_path=self.elf_path
        )
        self.uart = UartSession(self._recorder, self._recorder)
        self.uarts = Uarts(self.uart, self.folder)

    @property
    def transcript_path(self) -> Path:
        """Where the transcript can be read; it has all that was said until now."""
        self.transcript.flush()
        return self.folder / TRANSCRIPT

    @property
    def transcript(self) -> Transcript:
        """All that was said over the first UART."""
        return self._recorder.transcript

    @property
    def fault(self) -> FirmwareFault | None:
        """What is wrong with the firmware, if a test has not been told yet."""
        return self._recorder.fault

    @property
    def dut(self) -> Dut:
        """The first UART for people from pexpect and pytest-embedded."""
        if self.dut_if_used is None:
            from pytest_embedbench.bench.dut import Dut  # noqa: PLC0415  # pexpect, late

            self.dut_if_used = Dut(self.uart)
        return self.dut_if_used

    @property
    def pins(self) -> PinTrace:
        """Every pin change since boot, or ``BoardLacks``."""
        return self._recorder.board.pin_trace()

    def send(self, line: str | bytes) -> None:
        """Send a line over the first UART; see ``UartSession.send``."""
        self.uart.send(line)

    def expect(
        self, pattern: Patterns, *, within_ms: int, forbid: Patterns | None = None
    ) -> Match:
        """Wait for a line; see ``UartSession.expect``."""
        return self.uart.expect(pattern, within_ms=within_ms, forbid=forbid)

    def expect_silence(self, *, for_ms: int, ignoring: Patterns | None = None) -> None:
        """Insist on silence; see ``UartSession.expect_silence``."""
        self.uart.expect_silence(for_ms=for_ms, ignoring=ignoring)

    def expect_restart(self, *, within_ms: int) -> int:
        """Wait until the firmware restarts itself; return when it did, in us.

        That is a watchdog's reset or a jump to address 0 on a simulated AVR (not where
        ``allow_resets`` lets them pass), the boot line or the ROM's report of a boot on
        any board. What was said before counts as read; what is said after it can be
        expected.

        Raises:
            ExpectTimeout: it has not restarted within ``within_ms``.
            FirmwareFault: it crashed, ...
        """
        return expect_restart(self.uart, within_ms)

    def wait_for_boot(
        self, pattern: Patterns | None = None, *, within_ms: int = BOOT_WITHIN_MS
    ) -> Match:
        """Wait until the firmware is up: for ``pattern``, the boot line, or any line.

        See ``UartSession.wait_for_boot``.
        """
        if pattern is None and self.boot_line:
            pattern = exact(self.boot_line)
        return self.uart.wait_for_boot(pattern, within_ms=within_ms)

    def run_for(self, duration_ms: int) -> None:
        """Let simulated time pass; see ``UartSession.run_for``."""
        self.uart.run_for(duration_ms)

    def reset(self) -> None:
        """Press the reset button: what was said before is read no more.

        A firmware that has died starts anew, once the test knows of its death.

        Raises:
            FirmwareFault: something was wrong before, and the test was not told yet.
            BoardLacks: the board has no reset button.
        """
        press_reset(self._recorder)
        self.uart.skip()

    def power_off(self) -> None:
        """Take the power away until ``power_on``; else as ``reset``."""
        power_off(self._recorder)

    def power_on(self) -> None:
        """Give it back: what was said before is read no more; else as ``reset``."""
        power_on(self._recorder)
        self.uart.skip()

    def power_cycle(self) -> None:
        """Take the power away for a moment; else as ``reset``."""
        power_cycle(self._recorder)
        self.uart.skip()

    def connect(
        self,
        plant: Plant[StateT],
        *,
        coupling: Coupling = IN_STEP,
        invariants: Invariants[StateT] | None = None,
    ) -> ClosedLoop[StateT]:
        """Let ``plant`` live along from now on, whatever lets time pass.

        Raises:
            ConfigError: a plant is connected already, or ``plant`` is none.
        """
        if self.uart.timebase is not self._recorder:
            raise ConfigError("a plant is connected to this bench already")
        loop = self._loop(plant, FREE_RUN, coupling, invariants)
        self.uart.timebase = loop
        return loop

    def run(
        self,
        scenario: Scenario,
        plant_factory: Callable[..., Plant[StateT]],
        *,
        stop_when: Callable[[ClosedLoop[StateT]], bool] | None = None,
        coupling: Coupling = IN_STEP,
        invariants: Invariants[StateT] | None = None,
    ) -> Run[StateT]:
        """Run a scenario on a plant made for it, and return what was seen.

        ``stop_when`` ends it early; it is asked once a tick, before the plant steps.

        Raises:
            ConfigError: the plant has no such parameter or state field, or one of
                another type, or the scenario has something to do after its end.
            FirmwareFault: the firmware crashed, floods its UART, ...
            InvariantBroken: the plant was driven where it must not go.
            FaultNeverFired: one of the scenario's faults changed nothing.
        """
        check_run(scenario, plant_factory, stop_when)
        start = f"scenario {scenario.name!r}: initial"
        check_fields(plant_factory, scenario.initial, start)
        try:
            plant = plant_factory(**scenario.initial)
        except TypeError as error:
            raise ConfigError(
                f"{start} = {dict(scenario.initial)} does not suit the plant: {error}"
            ) from error
        loop = self._loop(plant, scenario, coupling, invariants)
        stopped_early = loop.run(stop_when)
        loop.pipeline.check_fired()
        return summarize(loop, stopped_early=stopped_early)

    def close(self) -> None:
        """Write the artifacts and close the board; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            with suppress(BenchFault):
                self._recorder.pull()
            self._recorder.clock.close()
        finally:
            self._write_down()

    def _take_board(self) -> None:
        """Be the one bench of the board."""
        if absent := lacking(self.board, Board):
            raise ConfigError(
                f"{self.board!r} is no board: it has no {', '.join(absent)}; give what "
                "boot('NAME') returns"
            )
        holder = _holders.setdefault(identity(self.board), self)
        if holder is not self:
            raise ConfigError(
                f"the {self.board.spec.name} has a bench already, in {holder.folder}: "
                "use that one, or boot another board for this one"
            )

    def _write_down(self) -> None:
        """Write the artifacts, also of what came in while the board was closed."""
        try:
            with suppress(BenchFault):
                self._recorder.pull()
            self._recorder.take_pending()
            for files in self._recorder.files.loops:
                files.finish(plotted_as=self.board.spec.name if self.plots else "")
        finally:
            self.uarts.close()
            self.transcript.flush()
            self._log.close()

    def _loop(
        self,
        plant: Plant[StateT],
        scenario: Scenario,
        coupling: Coupling,
        invariants: Invariants[StateT] | None,
    ) -> ClosedLoop[StateT]:
        loop = ClosedLoop(self._recorder, plant, scenario, coupling, invariants or {})
        self.loops.append(loop)
        self._recorder.files.add(LoopFiles(self.folder, loop, len(self.loops)))
        return loop
