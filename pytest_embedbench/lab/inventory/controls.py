"""What can be done to a board from outside, other than talking to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.clock import pause
from pytest_embedbench.errors import ConfigError, ToolMissing
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

    from pytest_embedbench.lab.inventory.board_options import (
        LabOptions,
        SerialOptions,
    )
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.model import BoardSpec

ControlAction = Callable[["SerialHandle | None", str, Callable[[], None]], None]
"""Does something to the board, given its port, if that is open, and its address. The
function is called while the board is silent: what was said before belongs to the time
before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardControls:
    """The buttons of a board, as far as it has any."""

    reset: ControlAction | None = None
    resets_by_port: bool = False
    """Whether reset is pressed over the modem lines, for which its port is opened."""
    power_off: ControlAction | None = None
    power_on: ControlAction | None = None
    power_cycle: ControlAction | None = None
    """The three of power are there together, or none is."""
    insist_on_programs: Callable[[], None] = lambda: None
    """Raises ``ToolMissing`` if a program for them is not on this machine."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What a board with these can do beyond moving bytes."""
        has = {
            Capability.RESET: self.reset is not None,
            Capability.POWER_CYCLE: self.power_cycle is not None,
            Capability.POWER_SWITCH: self.power_off is not None,
        }
        return frozenset(able for able, is_there in has.items() if is_there)


def controls_for(spec: BoardSpec) -> BoardControls:
    """Return what the options of a board say can be done to it.

    Raises:
        ConfigError: an option is unknown or makes no sense.
    """
    options = serial_options(spec)
    controls = _controls(spec, options, _reset(spec, options))
    return replace(controls, resets_by_port=bool(options.reset_sequence))


def controls_by_command(spec: BoardSpec, options: LabOptions) -> BoardControls:
    """Return the same of a board without modem lines, whose options are given.

    Raises:
        ConfigError: an option makes no sense.
    """
    return _controls(spec, options, _reset_by_command(spec, options))


def _controls(
    spec: BoardSpec, options: LabOptions, reset: ControlAction | None
) -> BoardControls:
    switch = _power_switch(spec, options)
    controls = BoardControls(
        reset=reset,
        insist_on_programs=partial(_insist_on_programs, spec, options, switch),
    )
    if switch is None:
        return controls
    return replace(
        controls,
        power_off=partial(_power_off, switch),
        power_on=partial(_power_on, switch),
        power_cycle=partial(_power_cycle, switch),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _PowerSwitch:
    """Two commands, and how long the power is away in a cycle.

    Whether there are programs to run is found out when power is switched.
    """

    off: Callable[[], Sequence[str]]
    on: Callable[[], Sequence[str]]
    off_s: float


def _insist_on_programs(
    spec: BoardSpec, options: LabOptions, switch: _PowerSwitch | None
) -> None:
    switching = () if switch is None else (switch.off(), switch.on())
    for argv in (options.reset_hold, options.reset_command, *switching):
        # What a word stands for is known once the board is taken.
        if argv and "{" not in argv[0] and shutil.which(argv[0]) is None:
            raise ToolMissing(
                f"{spec.name}: {' '.join(argv)!r}",
                argv[0],
                "install it, or name what there is in the lab file",
            )


def _reset_by_command(
    spec: BoardSpec, options: LabOptions, *, silent_ms: int = 0
) -> ControlAction | None:
    if options.reset_command:
        return partial(_by_command, options, silent_ms)
    if options.reset_hold:
        raise ConfigError(
            f"{option_location(spec, 'reset_hold')}: needs reset.command, which lets "
            "the board go again, and there is none"
        )
    return None


def _reset(spec: BoardSpec, options: SerialOptions) -> ControlAction | None:
    if options.reset_command and options.reset_sequence:
        raise ConfigError(
            f"{option_location(spec, 'reset_command')}: reset is pressed by a command "
            "or by a sequence: leave one out"
        )
    if options.reset_command or options.reset_hold:
        silent_ms = options.silent_after_reset_ms
        return _reset_by_command(spec, options, silent_ms=silent_ms)
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
    return partial(_by_lines, sequence, options.silent_after_reset_ms)


def _power_switch(spec: BoardSpec, options: LabOptions) -> _PowerSwitch | None:
    if bool(options.power_off) != bool(options.power_on):
        here, other = ("off", "on") if options.power_off else ("on", "off")
        raise ConfigError(
            f"{option_location(spec, f'power_{here}')}: needs power.{other}, and "
            "there is none"
        )
    if bool(options.power_hub) != bool(options.power_hub_port):
        here, other = ("hub", "hub_port") if options.power_hub else ("hub_port", "hub")
        raise ConfigError(
            f"{option_location(spec, f'power_{here}')}: needs power.{other}, and "
            "there is none"
        )
    if options.power_off and options.power_hub:
        raise ConfigError(
            f"{option_location(spec, 'power_hub')}: power is switched by a hub or by "
            "commands: leave one out"
        )
    off_s = options.power_off_ms / 1000
    if options.power_off:
        return _PowerSwitch(
            off=lambda: options.power_off, on=lambda: options.power_on, off_s=off_s
        )
    if options.power_hub:
        by_hub = partial(uhubctl, options.power_hub, options.power_hub_port)
        return _PowerSwitch(
            off=partial(by_hub, "off"), on=partial(by_hub, "on"), off_s=off_s
        )
    return None


def _by_lines(
    sequence: str,
    silent_ms: int,
    port: SerialHandle | None,
    address: str,
    hold: Callable[[], None],
) -> None:
    """Walk a sequence; its first wait is where the board is held in reset."""
    del address
    assert port is not None, "resets_by_port says that it has to be open"
    held = False

    def wait(duration_s: float) -> None:
        nonlocal held
        pause(duration_s)
        if not held:
            held = True
            hold()

    press(port, sequence, wait)
    _await_silence(silent_ms, hold)


def _by_command(
    options: LabOptions,
    silent_ms: int,
    port: SerialHandle | None,
    address: str,
    hold: Callable[[], None],
) -> None:
    del port
    if options.reset_hold:
        _run(options.reset_hold, address)
    hold()
    _run(options.reset_command, address)
    _await_silence(silent_ms, hold)


def _await_silence(silent_ms: int, hold: Callable[[], None]) -> None:
    """Let the last words of the old firmware come in while its successor waits."""
    if silent_ms:
        pause(silent_ms / 1000)
        hold()


def _power_off(
    switch: _PowerSwitch,
    port: SerialHandle | None,
    address: str,
    hold: Callable[[], None],
) -> None:
    del port
    _run(switch.off(), address)
    hold()


def _power_on(
    switch: _PowerSwitch,
    port: SerialHandle | None,
    address: str,
    hold: Callable[[], None],
) -> None:
    del port
    hold()
    _run(switch.on(), address)


def _power_cycle(
    switch: _PowerSwitch,
    port: SerialHandle | None,
    address: str,
    hold: Callable[[], None],
) -> None:
    _run(switch.off(), address)
    pause(switch.off_s)
    _power_on(switch, port, address, hold)


def _run(argv: Sequence[str], address: str) -> None:
    run_command(argv, {"port": address})
