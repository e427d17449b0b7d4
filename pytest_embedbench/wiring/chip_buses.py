"""The devices on the buses that a chip has in hardware, which tells bytes, not bits."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.bit_i2c import BitI2c
from pytest_embedbench.wiring.bit_spi import BitSpi
from pytest_embedbench.wiring.i2c_backlog import I2cBacklog
from pytest_embedbench.wiring.reach import bus_line, moved_with
from pytest_embedbench.wiring.shared_address import SharedAddress
from pytest_embedbench.wiring.spi_backlog import SpiBacklog

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pytest_embedbench.wiring.live_nets import LiveNets
    from pytest_embedbench.wiring.netlist import Netlist
    from pytest_embedbench.wiring.part_model import I2cDevice, SpiDevice, Wires


class ChipBuses:
    """Every device gets its bits; those on the chip's own pins may get bytes instead.

    So do those that resistors in series join with them.

    Args:
        nets: What the lines are.
        netlist: What is between them.
        i2c: The nets of SDA and SCL of the chip's hardware; those that it lacks are -1.
        spi: The nets of its SCK, MOSI and MISO.
    """

    def __init__(
        self,
        nets: LiveNets,
        netlist: Netlist,
        i2c: tuple[int, int],
        spi: tuple[int, int, int],
    ) -> None:
        self._nets = nets
        self._i2c_lines = [bus_line(netlist, net) for net in i2c]
        self._spi_heard = [
            each for net in spi[:2] if net >= 0 for each in moved_with(netlist, net)
        ]
        self._spi_lines = [bus_line(netlist, net) for net in spi]
        self._spi_owners: set[Hashable] = set()
        self.i2c: dict[int, I2cDevice] = {}
        """By address; those that have the same one are one device."""
        self.i2c_backlog = I2cBacklog(nets.log, self.i2c)
        """Bytes of I2C that are still to be told."""
        self._at_address: defaultdict[int, list[I2cDevice]] = defaultdict(list)
        self.spi: list[BitSpi] = []
        self.backlog = SpiBacklog(nets.log, self.spi)
        """Bytes of SPI that are still to be told; only of use if ``is_patient``."""

    def catch_up(self) -> None:
        """Tell all that is still to be told."""
        self.i2c_backlog.catch_up()
        self.backlog.catch_up()

    def add_i2c(
        self,
        wires: Wires,
        pins: tuple[str, str],
        nets: tuple[int, int],
        address: int,
        device: I2cDevice,
    ) -> None:
        """Put a device on two lines."""
        BitI2c(wires, *pins, address, device)
        sda, scl = self._i2c_lines
        if nets[0] in sda and nets[1] in scl:
            devices = self._at_address[address]
            devices.append(device)
            self.i2c[address] = SharedAddress(devices) if devices[1:] else device

    def add_spi(
        self,
        wires: Wires,
        part: str,
        pins: tuple[str, str, str, str],
        nets: Sequence[int],
        device: SpiDevice,
    ) -> None:
        """Put a device on three or four lines: clock, data in, select, data out."""
        clock, data_in, select, data_out = pins
        on_bus = BitSpi(wires, clock, data_in, select, device, data_out=data_out)
        sck, mosi, miso = self._spi_lines
        if nets[0] in sck and nets[1] in mosi and nets[3] in {-1, *miso}:
            on_bus.is_heard = nets[3] in miso
            on_bus.catch_up = self.backlog.catch_up
            self.spi.append(on_bus)
            self._spi_owners |= {(part, clock), (part, data_in)}

    def spi_needs_edges(self, *masters: Hashable) -> bool:
        """Say whether anybody hears the bus's clock or data who is not told bytes.

        ``masters`` are who drives them.
        """
        owners = {*self._spi_owners, *masters}
        return any(self._nets.is_heard(net, besides=owners) for net in self._spi_heard)

    @property
    def is_patient(self) -> bool:
        """Whether bytes of SPI may be told late: nobody answers."""
        return all(on_bus.is_patient for on_bus in self.spi)

    def exchange(self, at_ticks: int, byte: int) -> int | None:
        """Take a byte over SPI; return what came back, ``None`` if nobody answered."""
        if len(self.spi) == 1:
            return self.spi[0].exchange(at_ticks, byte)
        back = [on_bus.exchange(at_ticks, byte) for on_bus in self.spi]
        said = [it for it in back if it is not None]
        together = 0xFF
        for each in said:
            together &= each
        return together if said else None
