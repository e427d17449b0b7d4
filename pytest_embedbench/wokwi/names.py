"""What can be asked of a simulation, and what it tells by itself."""

from __future__ import annotations

import enum

PROTOCOL_VERSION = 1
SERVER = "wss://wokwi.com/api/ws/beta"
"""Where Wokwi's own simulations run."""


class CommandName(enum.StrEnum):
    """All commands that the official clients send."""

    FILE_UPLOAD = "file:upload"
    FILE_DOWNLOAD = "file:download"
    SIM_START = "sim:start"
    SIM_PAUSE = "sim:pause"
    SIM_RESUME = "sim:resume"
    SIM_RESTART = "sim:restart"
    SIM_STATUS = "sim:status"
    PAUSE_POINT_ADD = "pause-point:add"
    PAUSE_POINT_REMOVE = "pause-point:remove"
    SERIAL_LISTEN = "serial-monitor:listen"
    SERIAL_WRITE = "serial-monitor:write"
    PIN_READ = "pin:read"
    PIN_LISTEN = "pin:listen"
    GPIO_LIST = "gpio:list"
    CONTROL_SET = "control:set"
    TOUCH = "touch:event"
    FRAMEBUFFER_READ = "framebuffer:read"
    READ_VCD = "sim:read-vcd"
    SDCARD_EXPORT = "sdcard:export"


class EventName(enum.StrEnum):
    """All events that the official clients listen to."""

    PAUSE = "sim:pause"
    SERIAL_DATA = "serial-monitor:data"
    PIN_CHANGE = "pin:change"
    CHIPS_LOG = "chips:log"


class PausePointKind(enum.StrEnum):
    """Where a pause point lets time end."""

    TIME_RELATIVE = "time-relative"
    """So many ``nanos`` from now on."""
    TIME_ABSOLUTE = "time-absolute"
    """At ``nanos`` since the simulation began."""
    SERIAL_BYTES = "serial-bytes"
    """Right behind ``bytes``, once the firmware has said them."""
