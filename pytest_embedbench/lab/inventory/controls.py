"""What can be done to a board from outside, other than talking to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.clock import pause
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing import (
    RESETS,
    check_sequence,
    press,
    run_command,
    uhubctl,
)
from pytest_embedbench.lab.inventory.board_options import serial_options
from pytest_embedbench.model import Capability
from pytest_embedbench.support.options import option_location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.lab.inventory.board_options import SerialOptions
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.model import BoardSpec

ControlAction = Callable[["SerialHandle", str, Callable[[], None]], None]
"""Does something to the board on an open port, given also its address. The function
is called while the board is silent: what was said before belongs to the time before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardControls:
    """The buttons of a board, as far as it has any."""

    reset: ControlAction | None = None
    power_cycle: ControlAction | None = None

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What a board with these can do beyond moving bytes."""
        has = {
            Capability.RESET: self.reset is not None,
            Capability.POWER_CYCLE: self.power_cycle is not None,
        }
        return frozenset(able for able, is_there in has.items() if is_there)


def controls_for(spec: BoardSpec) -> BoardControls:
    """Return what the options of a board say can be done to it.

    Raises:
        ConfigError: an option is unknown or makes no sense.
    """
    options = serial_options(spec)
    return BoardControls(reset=_reset(spec, options), power_cycle=_power(spec, options))


def _reset(spec: BoardSpec, options: SerialOptions) -> ControlAction | None:
    if options.reset_command:
        return partial(_by_command, options)
    if not options.reset_sequence:
        return None
    location = option_location(spec, "reset_sequence")
    if options.port.lower().startswith("socket://"):
        raise ConfigError(
            f"{location}: socket:// has neither DTR nor RTS to press reset with; name "
            "a reset command, or say 'reset = {}', or use an RFC 2217 server"
        )
    known = RESETS.get(options.reset_sequence)
    sequence = known.run if known else options.reset_sequence
    try:
        check_sequence(sequence)
    except ConfigError as error:
        names = ", ".join(sorted(RESETS))
        raise ConfigError(f"{location}: {error}; or one of {names}") from error
    return partial(_by_lines, sequence, options)


def _power(spec: BoardSpec, options: SerialOptions) -> ControlAction | None:
    if bool(options.power_off) != bool(options.power_on):
        here, other = ("off", "on") if options.power_off else ("on", "off")
        raise ConfigError(
            f"{option_location(spec, f'power_{here}')}: needs power.{other}, and "
            "there is none"
        )
    if options.power_off:
        return partial(_by_switch, options)
    if options.power_hub:
        return partial(_by_hub, options)
    return None


def _by_lines(
    sequence: str,
    options: SerialOptions,
    port: SerialHandle,
    address: str,
    hold: Callable[[], None],
) -> None:
    """Walk a sequence; its first wait is where the board is held in reset."""
    del address
    held = False

    def wait(duration_s: float) -> None:
        nonlocal held
        pause(duration_s)
        if not held:
            held = True
            hold()

    press(port, sequence, wait)
    _await_silence(options, hold)


def _by_command(
    options: SerialOptions, port: SerialHandle, address: str, hold: Callable[[], None]
) -> None:
    del port
    if options.reset_hold:
        _run(options.reset_hold, address)
    hold()
    _run(options.reset_command, address)
    _await_silence(options, hold)


def _await_silence(options: SerialOptions, hold: Callable[[], None]) -> None:
    """Let the last words of the old firmware come in while its successor waits."""
    if options.silent_after_reset_ms:
        pause(options.silent_after_reset_ms / 1000)
        hold()


def _by_switch(
    options: SerialOptions, port: SerialHandle, address: str, hold: Callable[[], None]
) -> None:
    del port
    _run(options.power_off, address)
    pause(options.power_off_ms / 1000)
    hold()
    _run(options.power_on, address)


def _by_hub(
    options: SerialOptions, port: SerialHandle, address: str, hold: Callable[[], None]
) -> None:
    del port
    hold()
    off_s = options.power_off_ms / 1000
    _run(uhubctl(options.power_hub, options.power_hub_port, off_s=off_s), address)


def _run(argv: Sequence[str], address: str) -> None:
    run_command(argv, {"port": address})
