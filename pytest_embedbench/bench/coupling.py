"""How a board and a plant are coupled."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pytest_embedbench.bench.plant_pins import PlantPins
from pytest_embedbench.bench.uart_session import UartSession
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.validation import positive_ms


class Grouping(enum.Enum):
    """How many firmware lines a plant is given at once, between two samples."""

    LINE = "line"
    BURST = "burst"
    """All that is said without a pause of 10 ms: a reply with several actuators.

    One that is still on the wire at the end of a tick takes effect in the next.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """How board and plant are coupled.

    ``firmware_ms_per_tick`` is the firmware time that goes by per plant tick: by
    default the plant's own ``tick_ms``, so that both live in the same time. With
    ``pins`` the plant senses and acts through the circuit round the board. With
    ``sensed_by`` another board, joined to this one, hears the plant's sensor lines on
    that UART, and this one acts.

    Raises:
        ConfigError: a tick that lasts no whole millisecond, no ``Grouping``, no UART,
            or pins and a UART.
    """

    firmware_ms_per_tick: int | None = None
    grouping: Grouping = Grouping.LINE
    pins: PlantPins | None = None
    sensed_by: UartSession | None = None

    def __post_init__(self) -> None:
        if self.firmware_ms_per_tick is not None:
            positive_ms("firmware_ms_per_tick", self.firmware_ms_per_tick)
        if self.pins is not None and type(self.pins) is not PlantPins:
            raise ConfigError(f"pins = {self.pins!r}: must be PlantPins(...)")
        if self.sensed_by is not None:
            self._check_sensed_by()
        if type(self.grouping) is not Grouping:
            raise ConfigError(
                f"grouping = {self.grouping!r}: must be Grouping.LINE or Grouping.BURST"
            )

    def _check_sensed_by(self) -> None:
        if not isinstance(self.sensed_by, UartSession):
            raise ConfigError(f"sensed_by = {self.sensed_by!r}: give a bench's uart")
        if self.pins is not None:
            raise ConfigError("sensed_by and pins: a plant is sensed in one place")


IN_STEP = Coupling()
