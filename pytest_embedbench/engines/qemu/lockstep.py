"""Running a guest from tick to tick, so that nothing in it depends on our speed.

Virtual time is the guest's count of instructions (``-icount shift=N,sleep=off``): it
depends on nothing outside, provided that whatever comes from outside comes at an
exact instant. That instant is the guest's own tick: a watchpoint on its tick counter
stops it just before the counter changes, and there we exchange bytes with it.

Two properties of QEMU shape this. Watchpoints stop *before* the access on all the
processors we have, so going on would hit the same one for ever: a second one, on a
word that is written later in every tick, takes turns with it. And with ``sleep=off``
each such stop warps virtual time to the next timer of the machine; a timer of ours
that fires often and does nothing keeps these warps short (see ``limit_time_warp``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.engines.qemu.early_faults import run_to_entry
from pytest_embedbench.engines.qemu.launch import limit_time_warp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.engines.qemu.receivers import Receiver
    from pytest_embedbench.engines.qemu.rsp import Stop, Stub

    Resume = Callable[..., None]

_BREAKPOINT_KIND = 2
_ROM_STOPS = 100
_MOST_TICKS_AHEAD = 10
"""So that what is said by a firmware that dies without a stop bears about its time."""


class Trapped(Exception):
    """The guest stopped where nobody asked it to."""


class Restarted(Exception):
    """The guest's clock went back: it has started over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RomWait:
    """A loop in a ROM that waits for nothing but time, and where the ROM ends.

    The time warps at stops in the loop save the guest from waiting. Behind it, they are
    bounded by ``then_time_warp_us``.
    """

    waits_at: int
    leaves_at: int
    then_time_warp_us: int


class SyncPoint(Protocol):
    """What a guest does again and again, and where it can be stopped."""

    def first(self, stub: Stub, resume: Resume) -> None:
        """Run to the first stop, from where the code of the tick begins."""
        ...

    def next(self, stub: Stub, resume: Resume, ahead: int) -> int:
        """Run from one stop to the next, ``ahead`` ticks later if it can.

        Returns how many ticks later it is at most, unless some were made up for.
        """
        ...

    def count(self, stub: Stub) -> int:
        """Return how often it has happened; ``Restarted`` if that cannot be."""
        ...


@dataclass(frozen=True, slots=True)
class TickWord:
    """A counter in memory, and a word that is written later in each of its ticks.

    Without such a word each tick costs a single step, which is slower.
    """

    counter: int
    later: int | None = None

    def first(self, stub: Stub, resume: Resume) -> None:
        """Run to where the counter changes."""
        del stub
        resume(_watch(self.counter), at=self.counter)

    def next(self, stub: Stub, resume: Resume, ahead: int) -> int:
        """Let the counter change, and stop before it changes again."""
        del ahead
        counter, later = self.counter, self.later
        if later is None:
            stub.step(_unwatch(counter))
            resume(_watch(counter), at=counter)
        else:
            resume(_unwatch(counter), _watch(later), at=later)
            resume(_unwatch(later), _watch(counter), at=counter)
        return 1

    def count(self, stub: Stub) -> int:
        """Read the counter: how often we stopped is not what counts."""
        return stub.read_word(self.counter)


@dataclass(slots=True)
class AwaitedTick:
    """A counter in memory of a firmware that stops at the tick that it is told of.

    ``awaited`` is where it is told; it writes one of the two words at ``stops``, in
    turn, before it counts the next one, and sooner if it has said something. So it
    is one stop however many ticks there are in between.
    """

    counter: int
    awaited: int
    stops: int
    _last: int = -1
    _second: bool = False

    def first(self, stub: Stub, resume: Resume) -> None:
        """Run to the first of its ticks."""
        del stub
        resume(_watch(self._stop), at=self._stop)

    def next(self, stub: Stub, resume: Resume, ahead: int) -> int:
        """Run to the stop that is ``ahead``, or to an earlier one."""
        del stub
        stands_at = self._stop
        self._second = not self._second
        awaited = _write(self.awaited, self._last + ahead)
        resume(_unwatch(stands_at), _watch(self._stop), awaited, at=self._stop)
        return ahead

    def count(self, stub: Stub) -> int:
        """Read the counter, which has moved unless the firmware has started over."""
        count = stub.read_word(self.counter)
        if count <= self._last:
            raise Restarted
        self._last = count
        return count

    @property
    def _stop(self) -> int:
        return self.stops + 4 * self._second


@dataclass(slots=True)
class Calls:
    """A function that the firmware calls at a fixed rate; each call counts."""

    function: int
    _calls: int = 0

    def first(self, stub: Stub, resume: Resume) -> None:
        """Stay: this is it."""
        del resume
        stub.do(_break(self.function))

    def next(self, stub: Stub, resume: Resume, ahead: int) -> int:
        """Step off the breakpoint and run into it again."""
        del ahead
        stub.step()
        resume(at=None)
        self._calls += 1
        return 1

    def count(self, stub: Stub) -> int:
        """Return how many calls there were after the first."""
        del stub
        return self._calls


@dataclass(slots=True)
class Lockstep:
    """A guest that stands at one of its ticks, except while ``run_to`` runs."""

    stub: Stub
    sync_point: SyncPoint
    receivers: Sequence[Receiver]
    ticks: int = field(default=0, init=False)
    """How many ticks have passed since ``start``."""
    widest: int = field(default=1, init=False)
    """How many ticks have passed between two stops, at most."""
    _first: int = field(default=0, init=False)
    _last: int = field(default=0, init=False)

    def start(
        self,
        entry: int,
        pc_register: int,
        rom_wait: RomWait | None = None,
        fault_vector: int = 0,
    ) -> None:
        """Run from reset to the first tick; ``entry`` is where the tick's code begins.

        Only from there on is memory what the program says it is: what runs before,
        a ROM or a bootloader, uses the same addresses for its own ends. Where there is
        a ``fault_vector``, ``Faulted`` says if it never gets there.
        """
        if rom_wait is not None:
            self._leave_rom(rom_wait, pc_register)
        if fault_vector:
            self.stub.do(_break(entry))
            run_to_entry(self.stub, entry, pc_register, fault_vector)
        else:
            self.stub.resume(_break(entry))
        if self.stub.read_register(pc_register) != entry:
            raise Trapped
        self.stub.do(_unbreak(entry))
        self.sync_point.first(self.stub, self._resume)
        self._first = self._last = self.sync_point.count(self.stub)

    def run_to(self, ticks: int, after_each: Callable[[], None]) -> None:
        """Run until ``ticks`` have passed since ``start``.

        Raises:
            Restarted, Trapped: the guest is not where it should be.
        """
        while self.ticks < ticks:
            for receiver in self.receivers:
                if receiver.pending:
                    receiver.feed(self.stub)
            feeding = any(receiver.pending for receiver in self.receivers)
            ahead = 1 if feeding else min(ticks - self.ticks, _MOST_TICKS_AHEAD)
            passed = self.sync_point.next(self.stub, self._resume, ahead)
            count = self.sync_point.count(self.stub)
            if count < self._last:
                raise Restarted
            self.widest = max(self.widest, 1 + count - self._last - passed)
            self._last = count
            self.ticks = count - self._first
            after_each()

    def _leave_rom(self, rom_wait: RomWait, pc_register: int) -> None:
        stub, at = self.stub, rom_wait.waits_at
        stub.resume(_break(rom_wait.leaves_at), _break(at))
        for _ in range(_ROM_STOPS):
            if stub.read_register(pc_register) != at:
                break
            stub.step()
            stub.resume()
        stub.do(_unbreak(at), _unbreak(rom_wait.leaves_at))
        limit_time_warp(stub, rom_wait.then_time_warp_us)

    def _resume(self, *before: bytes, at: int | None) -> None:
        """Run to the watchpoint or breakpoint that is meant by ``at``."""
        stop = self.stub.resume(*before)
        while stop.watched != at:
            stop = self._served(stop)

    def _served(self, stop: Stop) -> Stop:
        """Go on from a stop that a receiver wanted; return the next one."""
        for receiver in self.receivers:
            if (next_stop := receiver.go_on(self.stub, stop)) is not None:
                return next_stop
        raise Trapped


def _break(address: int) -> bytes:
    return b"Z0,%x,%d" % (address, _BREAKPOINT_KIND)


def _unbreak(address: int) -> bytes:
    return b"z0,%x,%d" % (address, _BREAKPOINT_KIND)


def _watch(address: int) -> bytes:
    return b"Z2,%x,4" % address


def _unwatch(address: int) -> bytes:
    return b"z2,%x,4" % address


def _write(address: int, word: int) -> bytes:
    return b"M%x,4:%s" % (
        address,
        (word % (1 << 32)).to_bytes(4, "little").hex().encode(),
    )
