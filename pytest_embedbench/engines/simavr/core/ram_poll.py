"""Leap over loops that poll RAM until an interrupt comes, as Arduino's ``Wire`` does.

Who has just been told to come back with an interrupt asks: if the code that follows
comes to a loop that only waits, whole rounds of it are left out, and the time is added
that they take. Nothing but an interrupt can end the loop, and none comes before
something is due in simavr; so all goes on as it would have, to the cycle.
"""

from __future__ import annotations

from struct import Struct

from pytest_embedbench.engines.simavr.core.interrupt_queue import queue_ends
from pytest_embedbench.engines.simavr.core.mcus import SPH, SPL, TWCR
from pytest_embedbench.engines.simavr.core.waiting_code import WaitingCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_STS, _STS_MASK, _STS_BYTES, _STS_CYCLES = 0x9200, 0xFE0F, 4, 2
_WIDE_FLASH_BYTES = 1 << 17
_MOST_FOLLOWED = 1000
"""A loop on a cell that is another each time is followed so often, and then run."""


class _Site:
    """A place from which loops are come to, by the cells that they follow from."""

    def __init__(self) -> None:
        self._cells: frozenset[int] = frozenset()
        self.values = Struct("0s").unpack_from
        self.rounds: dict[tuple[int, ...], tuple[int, int]] = {}
        self.followed_count = 0

    def look_at(self, cells: tuple[int, ...]) -> None:
        """Look at more cells from now on, if these are not among them."""
        if not self._cells.issuperset(cells):
            self._cells = self._cells.union(cells)
            self.values = Struct(_format(sorted(self._cells))).unpack_from
            self.rounds.clear()


class RamPoll:
    """Asked at writes of a register by ``sts``, when all that follows is planned."""

    def __init__(self, machine: AvrMachine) -> None:
        mcu, data = machine.mcu, machine.data
        self._word, self._data = machine.word, data
        self._sp = data[SPL : SPH + 1].cast("H")
        self._cycle = machine.cycle_view
        self._pc = machine.view("pc", "I")
        self._free = machine.view("run_cycle_count", "Q")
        self._pending = queue_ends(machine, machine.vector(mcu.twi_vector))
        # TWCR is what it is until the bus has something to say.
        self._readable = {TWCR, *range(mcu.ramstart, mcu.ramend + 1)}
        self._is_wide = mcu.flash_bytes > _WIDE_FLASH_BYTES
        self._sites: dict[int, _Site] = {}

    def skip(self) -> bool:
        """Leave out rounds of the loop that comes next, if it waits; say whether."""
        place = self._pc[0] << 16 | self._sp[0]
        site = self._sites.get(place)
        if site is None:
            site = self._sites[place] = _Site()
        known = site.rounds.get(site.values(self._data))
        if known is None:
            known = self._find(site)
        lead_cycles, period_cycles = known
        if not period_cycles:
            return False
        free_cycles = self._free[0]
        rounds = (free_cycles - lead_cycles) // period_cycles - 1
        pending = self._pending[0]
        if rounds <= 0 or pending & 0xFFFF != pending >> 16:
            return False
        cycles = rounds * period_cycles
        self._cycle[0] += cycles
        self._free[0] = free_cycles - cycles
        return True

    def _find(self, site: _Site) -> tuple[int, int]:
        """Follow the code that comes next."""
        found, pc = (0, 0), self._pc[0]
        site.followed_count += 1
        if site.followed_count > _MOST_FOLLOWED:
            return found
        if self._word(pc) & _STS_MASK == _STS:
            code = WaitingCode(
                self._word,
                self._data,
                readable=self._readable,
                pc=pc + _STS_BYTES,
                sp=self._sp[0],
                is_wide=self._is_wide,
            )
            lead_cycles, period_cycles, cells = code.round()
            site.look_at(cells)
            found = _STS_CYCLES + lead_cycles, period_cycles
        site.rounds[site.values(self._data)] = found
        return found


def _format(cells: Sequence[int]) -> str:
    """Return the format of ``struct`` that takes cells out of memory."""
    words, at = ["="], 0
    for cell in cells:
        words.append(f"{cell - at}xB")
        at = cell + 1
    return "".join(words)
