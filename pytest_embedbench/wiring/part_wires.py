"""The wires of one part in a circuit that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import NotSupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.live_circuit import LiveCircuit
    from pytest_embedbench.wiring.part_model import I2cDevice, SpiDevice


class PartWires:
    """See ``Wires``; ``nets`` has the net of every pin, by all its names."""

    def __init__(
        self,
        circuit: LiveCircuit,
        part: str,
        nets: Mapping[str, int],
        switches: Mapping[tuple[str, str], int],
    ) -> None:
        self._circuit = circuit
        self._part = part
        self._nets = nets
        self._switches = switches
        self._drivers: dict[str, int] = {}
        self.devices: list[object] = []
        """What its model has put on buses."""
        self.ticks_per_us = circuit.ticks_per_us

    def at(self, at_ticks: int, call: Callable[[int], None]) -> None:
        """See ``Wires``."""
        self._circuit.agenda.at(at_ticks, call)

    def on_level(self, pin: str, call: Callable[[int, Level], None]) -> None:
        """See ``Wires``."""
        self._circuit.nets.on_level(self._net(pin), (self._part, pin), call)

    def on_pwm(self, pin: str, call: Callable[[int, int, int], None]) -> None:
        """See ``Wires``."""
        self._circuit.nets.pwm.on_pwm(self._net(pin), (self._part, pin), call)

    def drive(self, pin: str, drive: Drive) -> None:
        """See ``Wires``."""
        driver = self._driver(pin)
        self._circuit.voltages.take_off(driver)
        self._circuit.nets.network.change(driver, drive)

    def millivolts(self, pin: str, value_mv: int) -> None:
        """See ``Wires``."""
        self._circuit.put_voltage(self._driver(pin), self._net(pin), value_mv)

    def join(self, one: str, other: str, *, closed: bool) -> None:
        """See ``Wires``."""
        switch = self._switches[one, other]
        self._circuit.nets.network.switch(switch, closed=closed)

    def on_i2c(self, sda: str, scl: str, address: int, device: I2cDevice) -> None:
        """See ``Wires``."""
        nets = self._net(sda), self._net(scl)
        self.devices.append(device)
        self._circuit.buses.add_i2c(self, (sda, scl), nets, address, device)

    def on_spi(
        self,
        clock: str,
        data_in: str,
        select: str,
        device: SpiDevice,
        *,
        data_out: str = "",
    ) -> None:
        """See ``Wires``."""
        pins = clock, data_in, select, data_out
        self.devices.append(device)
        nets = [self._net(pin) if pin else -1 for pin in pins]
        if data_out and len(self._circuit.netlist.nets[nets[3]].pins) == 1:
            nets[3] = -1  # nobody hears it
        self._circuit.buses.add_spi(self, self._part, pins, nets, device)

    def broadcast(self, topic: str, value: int) -> None:
        """See ``Wires``."""
        self._circuit.broadcast(topic, value)

    def on_broadcast(self, topic: str, call: Callable[[int, int], None]) -> None:
        """See ``Wires``."""
        self._circuit.listen(topic, call)

    def _net(self, pin: str) -> int:
        net = self._nets.get(pin)
        if net is None:
            known = ", ".join(self._nets)
            raise NotSupported(f"{self._part}: it has no pin {pin!r}; it has: {known}")
        return net

    def _driver(self, pin: str) -> int:
        driver = self._drivers.get(pin)
        if driver is None:
            driver = self._circuit.nets.network.add_driver(self._net(pin))
            self._drivers[pin] = driver
        return driver
