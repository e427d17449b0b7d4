"""A circuit that runs round a chip: its nets, the models of its parts, and the clock.

Engines give the clock and the chip's pins, and know nothing of parts. All times are
ticks since the board got its power.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.errors import NotSupported, UnknownName
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.agenda import Agenda
from pytest_embedbench.wiring.chip_buses import ChipBuses
from pytest_embedbench.wiring.chip_pin import ChipPin
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.drives import RELEASED, TIED, Strength, drive
from pytest_embedbench.wiring.levels import Network
from pytest_embedbench.wiring.live_nets import LiveNets
from pytest_embedbench.wiring.live_voltages import LiveVoltages
from pytest_embedbench.wiring.net_log import MOST_NETS
from pytest_embedbench.wiring.netlist import build_netlist, known_parts
from pytest_embedbench.wiring.part_type import PinRole
from pytest_embedbench.wiring.part_wires import PartWires
from pytest_embedbench.wiring.placed_part import PlacedPart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import Diagram, DiagramPart
    from pytest_embedbench.wiring.netlist import Netlist
    from pytest_embedbench.wiring.part_model import MakeModel, Reading
    from pytest_embedbench.wiring.part_type import PartType

_GROUND = drive(Strength.SUPPLY, Level.LOW)
_SUPPLY = drive(Strength.SUPPLY, Level.HIGH)
_MOST_FINDINGS = 100


class ChipPins(NamedTuple):
    """What a chip has at its pins, by the names of its part in the diagram.

    ``i2c`` are SDA and SCL, ``spi`` SCK, MOSI and MISO of its hardware.
    """

    digital: tuple[str, ...]
    i2c: tuple[str, ...] = ()
    spi: tuple[str, ...] = ()


class Chip(Protocol):
    """What runs the firmware, as a circuit sees it."""

    def wake_at(self, at_ticks: int) -> None:
        """Have ``LiveCircuit.on_due`` called then, and no earlier."""
        ...

    def show(self, pin: str, level: Level) -> None:
        """Let an input show a level, which may be its own pull-up's."""
        ...


class LiveFinding(NamedTuple):
    """What a real circuit would not forgive, the first time that it was seen."""

    at_ticks: int
    kind: str
    nets: tuple[str, ...]


class LiveCircuit:
    """A circuit; everything begins to happen with ``start``.

    Args:
        diagram: What is wired, without errors.
        catalogue: The types of parts.
        models: Who makes a model, by type; a part without one does nothing.
        pins: Of the chip.
        chip: The chip itself.
        ticks_per_us: How fast the clock is.
        supply_mv: What the chip runs on.

    Raises:
        NotSupported: there are more nets than there is room for.
    """

    def __init__(  # noqa: PLR0913  # by keyword
        self,
        diagram: Diagram,
        catalogue: PartCatalogue,
        models: Mapping[str, MakeModel],
        *,
        pins: ChipPins,
        chip: Chip,
        ticks_per_us: int,
        supply_mv: int = 5000,
    ) -> None:
        parts = known_parts(diagram, catalogue)
        self.netlist = netlist = build_netlist(diagram, catalogue)
        if len(netlist.nets) > MOST_NETS:
            count = len(netlist.nets)
            raise NotSupported(f"{diagram.file}: {count} nets, of {MOST_NETS} at most")
        self.ticks_per_us = ticks_per_us
        self.findings: list[LiveFinding] = []
        self._ears: dict[str, list[Callable[[int, int], None]]] = defaultdict(list)
        self.agenda = Agenda(chip.wake_at)
        network = Network(
            len(netlist.nets),
            [(it.one, it.other) for it in netlist.resistors],
            [(it.one, it.other) for it in netlist.switches],
        )
        self.nets = LiveNets(
            network,
            len(netlist.nets),
            self.agenda,
            on_fight=self._on_fight,
            on_unrest=self._on_unrest,
        )
        # By names, not by places in the file, which are to mean nothing.
        names = [min(pin.endpoint for pin in net.pins) for net in netlist.nets]
        in_order = sorted(range(len(names)), key=names.__getitem__)
        for rank, net in enumerate(in_order):
            self.nets.rank[net] = rank
        self.voltages = LiveVoltages(network, netlist, supply_mv)
        board = next(name for name, (_, kind) in parts.items() if kind.board)
        self.board = board
        """What the diagram calls the board."""
        i2c = self._nets_of(pins.i2c, 2)
        spi = self._nets_of(pins.spi, 3)
        self.buses = ChipBuses(
            self.nets, netlist, (i2c[0], i2c[1]), (spi[0], spi[1], spi[2])
        )
        self._power(netlist)
        self.chip_pins = self._chip_pins(pins.digital, chip)
        self.parts = self._placed(parts, models)

    # ------------------------------------------------------------- what the engine does
    def start(self) -> None:
        """Let there be power: all hear what their nets show at tick 0."""
        self.nets.settle(0)

    def on_due(self, at_ticks: int) -> int | None:
        """Do what is due by now; return when to come back."""
        self.nets.now_ticks = at_ticks
        agenda = self.agenda
        agenda.is_awake = True
        while calls := agenda.take(at_ticks):
            for call in calls:
                call(at_ticks)
            self.nets.settle(at_ticks)
        agenda.is_awake = False
        return agenda.next_ticks()

    def is_wired(self, pin: str) -> bool:
        """Say whether anything is wired to a pin of the board."""
        net = self.netlist.index.get(Endpoint(self.board, pin))
        return net is not None and len(self.netlist.nets[net].pins) > 1

    def control(self, at_ticks: int, part: str, name: str, value: float) -> None:
        """Set a control of a part; raises what ``PlacedPart.control`` does."""
        self.buses.catch_up()
        self.nets.now_ticks = at_ticks
        self._part(part).control(at_ticks, name, value)
        self.nets.settle(at_ticks)

    def put_file(self, part: str, path: str, content: bytes) -> None:
        """Put a file on a part; raises what ``PlacedPart.put_file`` does."""
        self._part(part).put_file(path, content)

    def power_on(self, at_ticks: int) -> None:
        """Let the parts begin anew whose board has been without power for a moment."""
        self.buses.catch_up()
        self.nets.now_ticks = at_ticks
        for part in self.parts.values():
            part.power_on(at_ticks)
        self.nets.settle(at_ticks)

    def find_floating(self, at_ticks: int, net: int) -> None:
        """Note that the chip reads a net, if nothing holds it, or both sides do."""
        held = self.nets.network.state(net)
        if held == RELEASED:
            self._find(at_ticks, "floating", (net,))
        elif held == TIED:
            self._find(at_ticks, "undecided", (net,))

    def level(self, at_ticks: int, net: int) -> Level:
        """Return what a net shows now."""
        return self.nets.level(at_ticks, net)

    def voltage_mv(self, at_ticks: int, net: int) -> float:
        """Return the voltage of a net now, in mV; 0 where nothing holds it."""
        self.nets.pwm.catch_up(at_ticks)
        return self.voltages.of_net(net)

    def observe(self, at_ticks: int, part: str, name: str) -> Reading:
        """Return what is seen of a part; raises what ``PlacedPart.observe`` does."""
        self.buses.catch_up()
        return self._part(part).observe(at_ticks, name)

    # ---------------------------------------------------------------- what parts do
    def put_voltage(self, driver: int, net: int, value_mv: int) -> None:
        """Let a driver put a voltage on its net."""
        network = self.nets.network
        level = self.voltages.put(driver, net, value_mv, network.level(net))
        is_alone = network.is_alone(net)
        network.change(driver, drive(Strength.OUTPUT, level), anew=not is_alone)

    def broadcast(self, topic: str, value: int) -> None:
        """Send something to whoever listens."""
        for call in self._ears[topic]:
            call(self.nets.now_ticks, value)

    def listen(self, topic: str, call: Callable[[int, int], None]) -> None:
        """Have told what is sent."""
        self._ears[topic].append(call)

    # ---------------------------------------------------------------------- making it
    def _nets_of(self, pins: tuple[str, ...], count: int) -> list[int]:
        nets = [self.netlist.index.get(Endpoint(self.board, pin), -1) for pin in pins]
        return nets or [-1] * count

    def _power(self, netlist: Netlist) -> None:
        network = self.nets.network
        for index, net in enumerate(netlist.nets):
            if net.has(PinRole.GROUND):
                network.change(network.add_driver(index), _GROUND)
            if any(
                pin.pin.role is PinRole.SUPPLY and pin.pin.supply_mv for pin in net.pins
            ):
                network.change(network.add_driver(index), _SUPPLY)

    def _chip_pins(self, names: tuple[str, ...], chip: Chip) -> dict[str, ChipPin]:
        """Return the pins that anything is wired to."""
        pins: dict[str, ChipPin] = {}
        for name in names:
            if self.is_wired(name):
                net = self.netlist.index[Endpoint(self.board, name)]
                pins[name] = ChipPin(self.nets, self.netlist, net, name, chip.show)
        return pins

    def _placed(
        self,
        parts: Mapping[str, tuple[DiagramPart, PartType]],
        models: Mapping[str, MakeModel],
    ) -> dict[str, PlacedPart]:
        switches = self._switches(parts)
        placed: dict[str, PlacedPart] = {}
        for name, (part, kind) in sorted(parts.items()):
            if kind.name not in models:
                continue
            pins = kind.pins_with(part.attrs)
            nets = {pin: self.netlist.index[Endpoint(name, pin)] for pin in pins}
            wires = PartWires(self, name, nets, switches[name])
            placed[name] = PlacedPart(
                name, kind, make=models[kind.name], wires=wires, attrs=part.attrs
            )
        return placed

    def _switches(
        self, parts: Mapping[str, tuple[DiagramPart, PartType]]
    ) -> dict[str, dict[tuple[str, str], int]]:
        """Return the number of each switch by its pins, in the order of the netlist."""
        numbers: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        count = 0
        for name, (part, kind) in parts.items():
            for pair in kind.pairs_with(kind.switches, part.attrs):
                numbers[name][pair.one, pair.other] = count
                count += 1
        return numbers

    # ------------------------------------------------------------------ what is wrong
    def _on_fight(self, at_ticks: int, net: int) -> None:
        self._find(at_ticks, "contention", (net,))

    def _on_unrest(self, at_ticks: int, nets: Sequence[int]) -> None:
        self._find(at_ticks, "oscillation", nets)

    def _find(self, at_ticks: int, kind: str, nets: Sequence[int]) -> None:
        names = tuple(self.netlist.nets[net].name for net in nets)
        is_new = all((it.kind, it.nets) != (kind, names) for it in self.findings)
        if is_new and len(self.findings) < _MOST_FINDINGS:
            self.findings.append(LiveFinding(at_ticks, kind, names))

    def _part(self, name: str) -> PlacedPart:
        if name not in self.parts:
            raise UnknownName("part of the circuit", name, self.parts)
        return self.parts[name]
