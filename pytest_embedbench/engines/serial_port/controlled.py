"""Boards that can be more than talked to, as their datasheet or lab file has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.engines.serial_port.board import SerialBoard

if TYPE_CHECKING:
    from pytest_embedbench.lab.inventory.controls import BoardControls


class ResettableSerialBoard(SerialBoard):
    """A board whose reset can be pressed."""

    __slots__ = ()

    def reset(self) -> None:
        """Press the reset button.

        What was said up to then can be received at once; what is said afterwards,
        only when time has passed.
        """
        assert self.controls.reset is not None, "it was made for such controls"
        self.press(self.controls.reset)


class PoweredSerialBoard(SerialBoard):
    """A board whose power can be switched."""

    __slots__ = ()

    def power_cycle(self) -> None:
        """Take the power away for a moment; what was said then as after a reset."""
        assert self.controls.power_cycle is not None, "it was made for such controls"
        self.press(self.controls.power_cycle)

    def power_off(self) -> None:
        """Take the power away; a port that goes with it is not missed.

        What is sent until ``power_on`` is lost where the port has gone.
        """
        assert self.controls.power_off is not None, "it was made for such controls"
        self.expect_gone()
        self.press(self.controls.power_off)

    def power_on(self) -> None:
        """Give it back; a port that went has to be back within 10 s."""
        assert self.controls.power_on is not None, "it was made for such controls"
        self.press(self.controls.power_on)


class ControlledSerialBoard(ResettableSerialBoard, PoweredSerialBoard):
    """A board with both."""

    __slots__ = ()


def board_type(controls: BoardControls) -> type[SerialBoard]:
    """Return what a board with these controls is."""
    match (controls.reset is not None, controls.power_cycle is not None):
        case True, True:
            return ControlledSerialBoard
        case True, False:
            return ResettableSerialBoard
        case False, True:
            return PoweredSerialBoard
        case _:
            return SerialBoard
