"""One simulated MCU: booted, run to absolute cycles, and stopped when it fails."""

from __future__ import annotations

import ctypes

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import MCUS, MCUSR, SMCR, SPH, SPL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# How often lfind may call avr_run before we look whether the core still runs.
_RUNS_PER_LOOK = 20_000
_NO_LIMIT = 1 << 40
# Reserved by Atmel and unknown to simavr: its logger tells us when it is executed.
_TRAP = b"\x01\x00"
# More than 16 bits of words: return addresses take three bytes.
_BIG_FLASH_BYTES = 0x20000
# rjmp .-2
_JUMP_ON_THE_SPOT = b"\xff\xcf"
_I = 7  # the bit of SREG
_EXTRF = 0x02
_SLEEP_MODES = 0x0E  # all but idle, which is 0

Fault = tuple[str, int, int, int, str]
"""Kind, PC, cycle, address on top of the stack, detail."""


class AvrMachine:
    """The core, its clock and its faults; peripherals hang themselves on it.

    ``revive`` functions are called on every reset of the core, which forgets its cycle
    timers and its pins; ``started`` functions after the first instruction that follows
    a start or a reset. ``last_seen`` is the PC, and the cycle at which somebody last
    looked at it.
    """

    def __init__(self, library: str, mmcu: str, cpu_hz: int, vcc_mv: int) -> None:
        self.lib = layout.load(library)
        self.mcu = MCUS[mmcu]
        self.cpu_hz = cpu_hz
        self.vcc_mv = vcc_mv
        self.fault: Fault | None = None
        self.allow_resets = False
        self.last_seen = (0, 0)
        self.resets: list[int] = []
        self.revive: list[Callable[[], None]] = []
        self.started: list[Callable[[], None]] = []
        self._kept: list[object] = []
        self._pressed = False
        self._target = 0
        self._stop_is_last = False
        self._resume = layout.RUNNING
        self._reset_word = b""
        self._make(mmcu)

    def _make(self, mmcu: str) -> None:
        libc = layout.load_loop()
        self._lfind = libc.lfind
        self._runs = ctypes.c_size_t(_RUNS_PER_LOOK)
        self._runs_pointer = ctypes.pointer(self._runs)
        self._avr_run = layout.address_of(self.lib.avr_run)
        self._vsnprintf = libc.vsnprintf
        self.pointer = self.lib.avr_make_mcu_by_name(mmcu.encode())
        if not self.pointer:
            raise layout.LayoutMismatch(f"it does not know {mmcu}")
        self.avr = self.pointer.contents
        self.lib.avr_init(self.pointer)
        self._check(mmcu)
        avr = self.avr
        # simavr checks addresses but writes to them all the same: give it room.
        ram = (ctypes.c_uint8 * 0x10000)()
        ctypes.memmove(ram, avr.data, avr.ramend + 1)
        avr.data = ctypes.addressof(ram)
        self.data = memoryview(ram).cast("B")
        avr.frequency = self.cpu_hz
        avr.vcc = avr.avcc = avr.aref = self.vcc_mv
        avr.run_cycle_limit = _NO_LIMIT
        # The stock function sleeps in wall-clock time; this one only counts.
        avr.sleep = layout.address_of(self.lib.avr_pending_sleep_usec)
        self._stop = self.keep(layout.CycleTimer(self._on_stop))
        self._start = self.keep(layout.CycleTimer(self._on_start))
        avr.reset = self.keep(layout.ResetHook(self._on_reset))
        self.lib.avr_global_logger_set(self.keep(layout.Logger(self._on_log)))
        guard = self.keep(layout.IoWrite(self._on_guard))
        for address in self.mcu.stack_guard:
            self.io(address).write = guard

    def _check(self, mmcu: str) -> None:
        """Compare what the structures show with what is known after avr_init."""
        avr, mcu, lib = self.avr, self.mcu, self.lib
        pairs = {
            # The 328P goes by the name of the 328.
            "mmcu": (avr.mmcu, mmcu.encode()[: len(avr.mmcu or b"")]),
            "ramend": (avr.ramend, mcu.ramend),
            "flashend": (avr.flashend, mcu.flash_bytes - 1),
            "e2end": (avr.e2end, mcu.eeprom_bytes - 1),
            "frequency": (avr.frequency, 1_000_000),
            "state": (avr.state, layout.RUNNING),
            "run": (avr.run, layout.address_of(lib.avr_callback_run_raw)),
            "sleep": (avr.sleep, layout.address_of(lib.avr_callback_sleep_raw)),
            "pc": (avr.pc, 0),
        }
        wrong = [name for name, (seen, known) in pairs.items() if seen != known]
        if not wrong:
            data = ctypes.string_at(avr.data, SPH + 1)
            if data[SPL] | data[SPH] << 8 != avr.ramend:
                wrong.append("data")
            if ctypes.string_at(avr.flash, 64) != b"\xff" * 64:
                wrong.append("flash")
        if wrong:
            raise layout.LayoutMismatch(
                f"avr_t.{', '.join(wrong)} not where it should be"
            )

    # ------------------------------------------------------------- for peripherals
    def keep(self, callback: object) -> int:
        """Keep a callback alive for as long as C may call it; return its address."""
        self._kept.append(callback)
        return layout.address_of(callback)

    def notify(self, irq: int, call: Callable[[int, int, int], None]) -> None:
        """Call ``call(irq, value, 0)`` whenever a simavr signal is raised."""
        self.lib.avr_irq_register_notify(irq, self.keep(layout.Notify(call)), None)

    def io(self, address: int) -> layout.IoSlot:
        """Return what simavr does when the firmware touches a register."""
        slot: layout.IoSlot = self.avr.io[address - layout.FIRST_IO]
        return slot

    def at(self, cycle: int, timer: int) -> None:
        """Call a kept CycleTimer at an absolute cycle (at once, if that has passed)."""
        # Unsigned arithmetic on the other side wraps back to the cycle we mean.
        span = (cycle - self.avr.cycle) & 0xFFFF_FFFF_FFFF_FFFF
        self.lib.avr_cycle_timer_register(self.pointer, span, timer, None)

    # ------------------------------------------------------------------- life of it
    def load(self, segments: list[tuple[int, bytes]]) -> None:
        """Put the program into flash."""
        for address, code in segments:
            self.lib.avr_loadcode(self.pointer, code, len(code), address)
            if ctypes.string_at(self.avr.flash + address, len(code)) != code:
                raise layout.LayoutMismatch(
                    "avr_t.flash is not what avr_loadcode wrote"
                )
        self._reset_word = ctypes.string_at(self.avr.flash, 2)
        self.at(0, self._start)

    def run_until(self, cycle: int) -> None:
        """Let the core run to an absolute cycle, or to its fault."""
        avr = self.avr
        if self.fault is not None or cycle <= avr.cycle:
            return
        # The run that the stop timer cut short had not come to its interrupts.
        if avr.state in (layout.RUNNING, layout.SLEEPING) and avr.interrupt_state:
            self.lib.avr_service_interrupts(self.pointer)
        self._target = cycle
        self._stop_is_last = False
        self.at(cycle, self._stop)
        while avr.state in (layout.RUNNING, layout.SLEEPING):
            self._lfind(self.pointer, None, self._runs_pointer, 0, self._avr_run)
        if avr.state == layout.LIMBO:
            avr.state = self._resume
        elif avr.state == layout.DONE:
            self.fail("asleep", avr.pc)
        elif self.fault is None:
            self.fail("crashed", avr.pc)

    def has_ended(self) -> bool:
        """Say whether it jumps on the spot, with nothing that could take it away."""
        avr = self.avr
        word = ctypes.string_at(avr.flash + avr.pc, 2)
        return word == _JUMP_ON_THE_SPOT and not avr.sreg[_I]

    def press_reset(self) -> None:
        """Pull the reset pin: every fault is forgiven."""
        self.fault = None
        self._pressed = True
        self._stop_timers()
        self.lib.avr_reset(self.pointer)
        self._pressed = False
        self.data[MCUSR] |= _EXTRF

    def _stop_timers(self) -> None:
        """Have every timer stand still, or simavr counts on from before a reset."""
        for timer in self.mcu.timers:
            control = timer.tccra + 1
            slot = self.io(control)
            write = layout.IoWrite(slot.write)
            write(ctypes.addressof(self.avr), control, 0, slot.write_param)

    def sleeps_deep(self) -> bool:
        """Say whether the core sleeps in a mode in which the chip stops its clocks."""
        asleep = self.avr.state == layout.SLEEPING
        return asleep and bool(self.data[SMCR] & _SLEEP_MODES)

    def fail(self, kind: str, pc: int, detail: str = "") -> None:
        """Note the first fault; later ones follow from it."""
        if self.fault is not None:
            return
        stack = self.data[SPL] | self.data[SPH] << 8
        width = 3 if self.mcu.flash_bytes > _BIG_FLASH_BYTES else 2
        top = bytes(self.data[stack + 1 : stack + 1 + width])
        self.fault = (kind, pc, self.avr.cycle, int.from_bytes(top, "big") * 2, detail)

    def crash(self, kind: str, pc: int, detail: str = "") -> None:
        """Note a fault and let the core execute no further instruction."""
        self.fail(kind, pc, detail)
        self.avr.state = layout.CRASHED

    # ------------------------------------------------------------- called by simavr
    def _on_stop(self, _avr: int, when: int, _param: int) -> int:
        """Stop at the target, after all that is due at the same cycle.

        A sleeping core has been moved to one cycle after its next timer, which this
        is: take it back, so that a stop leaves no trace in time.
        """
        avr = self.avr
        if not self._stop_is_last:
            self._stop_is_last = True
            self.at(when, self._stop)
            return 0
        if avr.state in (layout.RUNNING, layout.SLEEPING):
            self._resume = avr.state
            if avr.state == layout.SLEEPING and avr.cycle == when + 1:
                avr.cycle = when
            avr.state = layout.LIMBO
        return 0

    def _on_start(self, _avr: int, _when: int, _param: int) -> int:
        """Put the trap at address 0, where only a jump can find it from now on."""
        if not self.allow_resets:
            ctypes.memmove(self.avr.flash, _TRAP, 2)
        for started in self.started:
            started()
        return 0

    def _on_log(self, _avr: int, level: int, text: bytes, arguments: int) -> None:
        if level > layout.LOG_WARNING:
            return
        pc = self.avr.pc
        buffer = ctypes.create_string_buffer(200)
        self._vsnprintf(buffer, ctypes.c_size_t(200), text, ctypes.c_void_p(arguments))
        message = buffer.value.decode("latin-1")
        if "Invalid Opcode" in message:
            self.crash("restarted" if pc == 0 else "opcode", pc)
        elif "CORE: ***" in message and "Address " in message:
            self.crash("address", pc, message.rpartition("Address ")[2][:4])
        elif message.startswith("avr_sadly_crashed"):
            self.fail("crashed", pc)

    def _on_reset(self, _avr: int) -> None:
        """Put back what avr_reset has forgotten; note a reset nobody asked for."""
        avr = self.avr
        avr.run_cycle_limit = _NO_LIMIT
        ctypes.memmove(avr.flash, self._reset_word, 2)
        self.at(avr.cycle, self._start)
        for revive in self.revive:
            revive()
        if self._pressed:
            return
        self._stop_is_last = False
        self.at(self._target, self._stop)
        self.resets.append(avr.cycle)
        if not self.allow_resets:
            pc, cycle = self.last_seen
            self.fail("watchdog", pc, str(avr.cycle - cycle))
            self.at(avr.cycle, self._stop)

    def _on_guard(self, _avr: int, address: int, value: int, _param: int) -> None:
        """Look at the stack when an address below RAM is written that has no use."""
        self.data[address] = value
        if self.data[SPL] | self.data[SPH] << 8 < self.mcu.ramstart:
            self.crash("stack", self.avr.pc)
