"""One simulated MCU: booted, run to absolute cycles, and stopped when it fails."""

from __future__ import annotations

import ctypes

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.hooks import Core
from pytest_embedbench.engines.simavr.core.mcus import (
    MCUS,
    MCUSR,
    SLEEP_MODES,
    SMCR,
    SPH,
    SPL,
)
from pytest_embedbench.engines.simavr.core.program_end import ProgramEnd

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
_EXTRF, _PORF = 0x02, 0x01
_REGISTERS = 32
# What cells hold when power comes is nobody's promise; equal runs are equal.
_NOISE = bytes((17 * i * i + 101 * i + 43) & 0xFF for i in range(256))

Fault = tuple[str, int, int, int, str]
"""Kind, PC, cycle, address on top of the stack, detail."""


class AvrMachine(Core):
    """The core, its clock and its faults; peripherals hang themselves on it.

    ``revive`` functions are called on every reset of the core, which forgets its cycle
    timers and its pins; ``started`` functions after the first instruction that follows
    a start or a reset. ``busy_until`` functions say how long a peripheral goes on with
    what it has. ``last_seen`` is the PC, and the cycle at which somebody last
    looked at it.
    """

    def __init__(self, library: str, mmcu: str, cpu_hz: int, vcc_mv: int) -> None:
        super().__init__(library, mmcu)
        self.mcu = MCUS[mmcu]
        self.cpu_hz = cpu_hz
        self.vcc_mv = vcc_mv
        self.fault: Fault | None = None
        self.allow_resets = False
        self.last_seen = (0, 0)
        self.resets: list[int] = []
        self.revive: list[Callable[[], None]] = []
        self.started: list[Callable[[], None]] = []
        self.going: list[Callable[[], None]] = []
        self._pressed = False
        self._target = 0
        self._stop_is_last = False
        self._resume = layout.RUNNING
        self._reset_word = b""
        self.busy_until: list[Callable[[], int]] = []
        self._make(mmcu)

    def _make(self, mmcu: str) -> None:
        libc = layout.load_loop()
        self._lfind = libc.lfind
        self._runs = ctypes.c_size_t(_RUNS_PER_LOOK)
        self._runs_pointer = ctypes.pointer(self._runs)
        self._avr_run = layout.address_of(self.lib.avr_run)
        self._vsnprintf = libc.vsnprintf
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
        self.ending = ProgramEnd(self)
        self.going_on |= {self._stop, self._start}
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
            "free_slot": (self.has_slot(avr.free_slot), True),
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

    # ------------------------------------------------------------------- life of it
    def load(self, segments: list[tuple[int, bytes]]) -> None:
        """Put the program into flash."""
        for address, code in segments:
            self.lib.avr_loadcode(self.pointer, code, len(code), address)
            if ctypes.string_at(self.avr.flash + address, len(code)) != code:
                raise layout.LayoutMismatch(
                    "avr_t.flash is not what avr_loadcode wrote"
                )
            self.ending.look_for(address, code)
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
        for going in self.going:
            going()
        self._target = cycle
        self._stop_is_last = False
        self.at(cycle, self._stop)
        while avr.state in (layout.RUNNING, layout.SLEEPING):
            self._lfind(self.pointer, None, self._runs_pointer, 0, self._avr_run)
            if self.ending.reached:
                self.ending.go_on()
        if avr.state == layout.LIMBO:
            avr.state = self._resume
        elif avr.state == layout.DONE:
            self.fail("asleep", avr.pc)
        elif self.fault is None:
            self.fail("crashed", avr.pc)

    def shorten(self, cycle: int) -> None:
        """Let this run end earlier, at a cycle that has not been reached."""
        self._target = cycle
        self.at(cycle, self._stop)

    def press_reset(self) -> None:
        """Pull the reset pin: every fault is forgiven."""
        self.fault = None
        self._pressed = True
        # Of the first one after a boot simavr keeps a timer that is due in each cycle:
        # it would run on at a tenth of its speed. Of the second none is left.
        self.lib.avr_reset(self.pointer)
        self.lib.avr_reset(self.pointer)
        self._pressed = False
        self.data[MCUSR] |= _EXTRF

    def cut_power(self) -> None:
        """Take the power away for a moment: RAM and registers hold anything then."""
        self.press_reset()
        self.data[MCUSR] = _PORF
        noise = _NOISE * (len(self.data) // len(_NOISE))
        self.data[:_REGISTERS] = noise[:_REGISTERS]
        ram = slice(self.mcu.ramstart, self.mcu.ramend + 1)
        self.data[ram] = noise[ram]

    def run_on(self) -> None:
        """Go on from a restart that was a fault."""
        fault, self.fault = self.fault, None
        if fault is not None and fault[0] == "restarted":
            avr = self.avr
            ctypes.memmove(avr.flash, self._reset_word, 2)
            avr.pc, avr.state = 0, layout.RUNNING
            self.at(avr.cycle, self._start)

    def sleeps(self) -> str:
        """Return the mode in which the core sleeps; ``""`` if it is awake."""
        if self.avr.state != layout.SLEEPING:
            return ""
        return SLEEP_MODES.get(self.data[SMCR] >> 1 & 7, "")

    def word(self, address: int) -> int:
        """Return a word of the program, by its address in bytes."""
        if address + 2 > self.mcu.flash_bytes:
            return 0
        return int.from_bytes(ctypes.string_at(self.avr.flash + address, 2), "little")

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
    def stop_now(self) -> None:
        """Let nothing more be executed in this run."""
        self.at(self.avr.cycle, self._stop)

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
            self.ending.set_trap(_TRAP)
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
            if self.ending.is_here(pc):
                return
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
        self.forget_bits()
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
