"""A circuit round a chip, without a simulator: moments, PWM, voltages, findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.chip_pin import PinDrive
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive
from tests.support.live import TICKS_PER_US, play

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.wiring.part_model import Wires

BUTTON, LED, R = "wokwi-pushbutton", "wokwi-led", "wokwi-resistor"
POT, SHIFTER = "wokwi-potentiometer", "wokwi-74hc595"
RELEASE, PULL_UP = PinDrive.RELEASED, PinDrive.PULLED_UP
LOW, HIGH = PinDrive.LOW, PinDrive.HIGH
DOWN = drive(Strength.OUTPUT, Level.LOW)
UP = drive(Strength.OUTPUT, Level.HIGH)


Attrs = dict[str, dict[str, object]]
STILL: Attrs = {"b": {"bounce": "0"}}


class Ear:
    """A model that writes down what it is told at a pin; of PWM too, if it asks."""

    def __init__(self, wires: Wires, pin: str, *, of_pwm: bool = False) -> None:
        self.told: list[tuple[object, ...]] = []
        self.wires = wires
        wires.on_level(pin, lambda at, level: self.told.append((at, level)))
        if of_pwm:
            wires.on_pwm(pin, lambda *told: self.told.append(told))

    def in_us(self) -> list[tuple[object, ...]]:
        return [
            tuple(it / TICKS_PER_US if type(it) is int else it for it in told)
            for told in self.told
        ]


def eared(
    ears: list[Ear], kind: str, pin: str, *, of_pwm: bool = False
) -> Mapping[str, Callable[..., object]]:
    """Return the models, those of a type replaced by ears."""

    def make(wires: Wires, _attrs: Mapping[str, str]) -> Ear:
        ears.append(Ear(wires, pin, of_pwm=of_pwm))
        return ears[-1]

    return {**MODELS, kind: make}


# ------------------------------------------------------------------------- moments
def test_pins_that_one_instruction_moves_move_at_once() -> None:
    """Clock and data of a shift register in one moment: the file's order says nothing.

    All levels are there before the first is told.
    """
    wires = [
        *("uno:2 - s:DS", "uno:3 - s:SHCP", "s:VCC - uno:5V", "s:MR - uno:5V"),
        *("s:GND - uno:GND.1", "s:OE - uno:GND.1", "uno:4 - s:STCP"),
    ]
    seen: set[tuple[object, ...]] = set()
    for parts in ({"s": SHIFTER, "r": R}, {"r": R, "s": SHIFTER}):
        for extra in ([], ["uno:2 - r:1"], ["uno:3 - r:1"]):
            circuit = play(parts, *extra, *wires)
            circuit.drive(d2=LOW, d3=LOW, d4=LOW)
            circuit.run_to(10)
            circuit.drive(d2=HIGH, d3=HIGH)
            assert circuit.level("s:DS") is circuit.level("s:SHCP") is Level.HIGH
            circuit.run_to(20)
            circuit.drive(d4=HIGH)
            circuit.run_to(30)
            seen.add((*extra, circuit.see("s", "outputs")))
    assert len(seen) == 3


def test_all_is_told_of_one_moment_before_any_of_it_changes() -> None:
    """Two inverters that feed each other hold what they have: each sees the other."""
    order: list[str] = []

    def inverter(wires: Wires, _attrs: Mapping[str, str]) -> object:
        def on_level(_at: int, level: Level) -> None:
            order.append(level.name)
            wires.drive("A", DOWN if level is Level.HIGH else UP)

        wires.on_level("C", on_level)
        return object()

    circuit = play(
        {"a": LED, "b": LED},
        *("uno:2 - a:C", "uno:3 - b:C", "a:A - uno:4", "b:A - uno:5"),
        models={LED: inverter},
    )
    circuit.drive(d2=LOW, d3=HIGH)
    assert circuit.level("uno:4") is Level.HIGH
    assert circuit.level("uno:5") is Level.LOW
    assert circuit.findings() == []


def test_a_moment_starts_at_tick_0() -> None:
    ears: list[Ear] = []
    wires = "btn:1.l - uno:5V", "btn:2.l - led:A", "uno:5V - led:C"
    circuit = play({"btn": BUTTON, "led": LED}, *wires, models=eared(ears, LED, "C"))
    assert ears[0].told == [(0, Level.HIGH)]
    assert circuit.level("uno:5V") is Level.HIGH


# ---------------------------------------------------------------------------- edges
def test_a_pull_up_holds_until_a_button_is_pressed() -> None:
    circuit = play(
        {"b": BUTTON},
        "uno:2 - b:1.l",
        "b:2.l - uno:GND.1",
        attrs=STILL,
    )
    assert circuit.level("uno:2") is Level.FLOATING
    circuit.drive(d2=PULL_UP)
    assert circuit.level("uno:2") is Level.HIGH
    assert circuit.shown("2") is Level.HIGH
    circuit.run_to(100)
    circuit.set("b", "pressed", 1)
    assert circuit.shown("2") is Level.LOW
    assert circuit.mv("uno:2") == 0
    circuit.run_to(200)
    circuit.set("b", "pressed", 0)
    assert circuit.shown("2") is Level.HIGH
    assert circuit.edges("b:1.r")[-2:] == [(100, Level.LOW), (200, Level.HIGH)]
    assert circuit.findings() == []


def test_chip_pins_that_are_joined_show_each_other() -> None:
    circuit = play({}, "uno:9 - uno:2")
    circuit.drive(d9=HIGH)
    assert circuit.shown("2") is Level.HIGH
    circuit.drive(d9=LOW)
    assert circuit.shown("2") is Level.LOW
    circuit.drive(d9=RELEASE)
    assert circuit.shown("2") is Level.FLOATING
    circuit.drive(d2=PULL_UP)
    assert circuit.shown("9") is Level.HIGH


def test_a_pin_that_becomes_an_input_is_shown_what_is_there() -> None:
    circuit = play(
        {"r": R}, "uno:5V - r:1", "r:2 - uno:9", attrs={"r": {"value": "10000"}}
    )
    circuit.drive(d9=HIGH)
    circuit.chip.shown.clear()
    circuit.drive(d9=RELEASE)
    assert circuit.chip.shown == {"9": Level.HIGH}
    circuit.pwm("9", 100, 50)
    circuit.run_to(110)
    circuit.chip.shown.clear()
    circuit.pwm("9", 0, 0, RELEASE)
    assert circuit.shown("9") is Level.HIGH


# ------------------------------------------------------------------------------ PWM
PWM_WIRES = {
    "alone": ("uno:9 - led:A",),
    "behind a resistor": ("uno:9 - r:1", "r:2 - led:A"),
}


@pytest.mark.parametrize("wires", PWM_WIRES.values(), ids=PWM_WIRES)
def test_who_asks_for_pwm_is_told_no_edges(wires: tuple[str, ...]) -> None:
    ears: list[Ear] = []
    models = eared(ears, LED, "A", of_pwm=True)
    circuit = play({"led": LED, "r": R}, *wires, "led:C - uno:GND.1", models=models)
    circuit.run_to(100)
    circuit.pwm("9", 1000, 250)
    circuit.run_to(5100)
    circuit.pwm("9", 1000, 500)
    circuit.run_to(9350)
    circuit.pwm("9", 0, 0, HIGH)
    expected: list[tuple[object, ...]]
    expected = [
        (100, 1000, 250),
        (5100, 1000, 500),
        (9350, 0, 0),
        (9350, Level.HIGH),
    ]
    assert ears[0].in_us() == expected
    # The phase stays, and after PWM the level does.
    edges = circuit.edges("led:A")
    assert edges[:3] == [(100, Level.HIGH), (350, Level.LOW), (1100, Level.HIGH)]
    assert edges.pop() == (9100, Level.HIGH)
    assert circuit.level("led:A") is Level.HIGH


@pytest.mark.parametrize("wires", PWM_WIRES.values(), ids=PWM_WIRES)
def test_who_does_not_ask_gets_edges(wires: tuple[str, ...]) -> None:
    ears: list[Ear] = []
    models = eared(ears, LED, "A")
    circuit = play({"led": LED, "r": R}, *wires, "led:C - uno:GND.1", models=models)
    circuit.pwm("9", 1000, 250)
    circuit.run_to(1800)
    circuit.pwm("9", 1000, 900)
    circuit.run_to(2950)
    circuit.pwm("9", 0, 0, LOW)
    circuit.run_to(9000)
    assert ears[0].in_us() == [
        (0, Level.HIGH),
        (250, Level.LOW),
        (1000, Level.HIGH),
        (1250, Level.LOW),
        (1800, Level.HIGH),  # 800 of a period that is high for 900 now
        (1900, Level.LOW),
        (2000, Level.HIGH),
        (2900, Level.LOW),
    ]
    assert circuit.edges("led:A") == ears[0].in_us()


def test_pwm_in_another_pin_of_the_chip() -> None:
    circuit = play({}, "uno:9 - uno:2")
    circuit.pwm("9", 1000, 250)
    seen = []
    for at_us in (100, 300, 1100, 1300):
        circuit.run_to(at_us)
        seen.append(circuit.chip.shown["2"])
    assert seen == [Level.HIGH, Level.LOW, Level.HIGH, Level.LOW]


@pytest.mark.parametrize(("high_us", "level"), [(0, Level.LOW), (100, Level.HIGH)])
def test_pwm_with_nothing_to_switch_is_steady(high_us: int, level: Level) -> None:
    ears: list[Ear] = []
    models = eared(ears, LED, "A", of_pwm=True)
    circuit = play({"led": LED}, "uno:9 - led:A", models=models)
    circuit.pwm("9", 100, 50)
    circuit.run_to(1000)
    circuit.pwm("9", 100, high_us)
    circuit.run_to(2000)
    assert ears[0].in_us()[-2:] == [(1000, 0, 0), (1000, level)]
    assert circuit.level("uno:9") is level
    circuit.drive(d9=HIGH if level is Level.LOW else LOW)  # which the timer overrides
    assert circuit.level("uno:9") is level


def test_a_level_asked_for_is_that_of_the_moment() -> None:
    circuit = play({"led": LED}, "uno:9 - led:A", "led:C - uno:GND.1")
    circuit.pwm("9", 1000, 250)
    seen = []
    for at_us in (100, 300, 1100, 1300):
        circuit.run_to(at_us)
        seen.append((circuit.level("uno:9"), circuit.mv("led:A")))
    assert seen == [(Level.HIGH, 5000), (Level.LOW, 0)] * 2


def test_who_comes_late_gets_edges_and_who_goes_leaves_none() -> None:
    circuit = play({"led": LED}, "uno:9 - led:A", "led:C - uno:GND.1")
    circuit.pwm("9", 1000, 250)
    circuit.run_to(1100)
    nets, net, heard = circuit.live.nets, circuit.net("uno:9"), list[float]()
    now = circuit.now_ticks
    nets.on_level(net, "me", lambda at, _: heard.append(at / TICKS_PER_US), now)
    nets.settle(now)
    circuit.run_to(3100)
    assert heard[-4:] == [1250, 2000, 2250, 3000]
    nets.off_level(net, "me")
    circuit.run_to(9000)
    assert heard[-1] == 3000
    assert circuit.live.agenda.next_ticks() is None
    rises = [at for at, level in circuit.edges("uno:9") if level is Level.HIGH]
    assert rises == [1000 * count for count in range(9)]


def test_a_switch_lets_pwm_through_in_its_phase() -> None:
    wires = "uno:9 - b:1.l", "b:2.l - r:1", "r:2 - uno:GND.1", "b:2.l - uno:2"
    circuit = play({"b": BUTTON, "r": R}, *wires, attrs=STILL)
    circuit.pwm("9", 1000, 250)
    circuit.run_to(2100)
    circuit.set("b", "pressed", 1)
    circuit.run_to(3100)
    circuit.set("b", "pressed", 0)
    circuit.run_to(5000)
    assert circuit.edges("uno:2")[1:] == [
        (2100, Level.HIGH),
        (2250, Level.LOW),
        (3000, Level.HIGH),
        (3100, Level.LOW),
    ]


def test_what_is_done_about_pwm_is_told() -> None:
    """A model that answers PWM drives its pins when that PWM comes, and is heard."""

    def make(wires: Wires, _attrs: Mapping[str, str]) -> object:
        wires.on_pwm("A", lambda *_: wires.drive("C", UP))
        return object()

    ears: list[Ear] = []
    circuit = play(
        {"led": LED, "bar": "wokwi-buzzer", "r": R},
        *("uno:9 - led:A", "uno:10 - r:1", "r:2 - led:A", "led:C - bar:1"),
        models={**eared(ears, "wokwi-buzzer", "1"), LED: make},
    )
    circuit.pwm("9", 100, 50)
    circuit.pwm("10", 100, 50)
    assert (0, Level.HIGH) in ears[0].told


# ------------------------------------------------------------------------- findings
def test_outputs_that_fight_are_found_once_with_their_time() -> None:
    circuit = play(
        {"b": BUTTON},
        "uno:2 - b:1.l",
        "b:2.l - uno:GND.1",
        attrs=STILL,
    )
    circuit.drive(d2=HIGH)
    circuit.run_to(50)
    for pressed in (1, 0, 1):
        circuit.set("b", "pressed", pressed)
        circuit.run_to(circuit.now_ticks / TICKS_PER_US + 10)
    at_us, kind, nets = circuit.findings()[0]
    assert (at_us, kind) == (50, "contention")
    assert "uno:2" in {net for _, _, found in circuit.findings() for net in found}
    assert len(circuit.findings()) == len(set(circuit.findings()))
    assert nets


def test_a_fight_that_is_over_within_a_moment_is_none() -> None:
    """A bus that is turned round: who drove it lets go as it hears of that."""

    def make(wires: Wires, _attrs: Mapping[str, str]) -> object:
        wires.drive("A", UP)
        wires.on_level("C", lambda *_: wires.drive("A", RELEASED))
        return object()

    wires = "uno:2 - led:A", "uno:3 - led:C"
    circuit = play({"led": LED, "r": R}, *wires, "uno:2 - r:1", models={LED: make})
    circuit.drive(d2=LOW, d3=HIGH)
    assert circuit.findings() == []
    assert circuit.level("uno:2") is Level.LOW


def test_an_output_on_ground_is_found_though_no_level_changes() -> None:
    def make(wires: Wires, _attrs: Mapping[str, str]) -> object:
        wires.at(160, lambda _at: wires.drive("A", UP))
        return object()

    circuit = play({"led": LED}, "led:A - uno:GND.1", models={LED: make})
    circuit.run_to(100)
    assert circuit.findings() == [(10, "contention", ("GND",))]


def test_a_circuit_that_never_rests_is_found() -> None:
    """With PWM on as well: it was without end then."""

    def make(wires: Wires, _attrs: Mapping[str, str]) -> object:
        flip = {Level.HIGH: DOWN, Level.LOW: UP}
        wires.on_level("A", lambda _at, level: wires.drive("A", flip[level]))
        return object()

    circuit = play({"led": LED}, "uno:2 - led:A", models={LED: make})
    circuit.drive(d2=PULL_UP)
    circuit.run_to(10)
    assert circuit.findings()[0][:2] == (0, "oscillation")


# ------------------------------------------------------------------------- voltages
def test_a_divider_of_equal_resistors_is_half_to_the_bit() -> None:
    wires = "uno:5V - a:1", "a:2 - uno:A0", "uno:A0 - b:1", "b:2 - uno:GND.1"
    circuit = play(
        {"a": R, "b": R}, *wires, attrs={"a": {"value": "4700"}, "b": {"value": "4700"}}
    )
    assert circuit.mv("uno:A0") == 2500
    assert circuit.level("uno:A0") is Level.FLOATING


def divider(upper_ohm: int, lower_ohm: int) -> tuple[list[str], Attrs]:
    """Return what is around resistors ``a``, from pin 7, and ``b``, to ground."""
    wires = ["uno:7 - a:1", "a:2 - b:1", "b:2 - uno:GND.1"]
    values = {"a": upper_ohm, "b": lower_ohm}
    return wires, {name: {"value": str(value)} for name, value in values.items()}


@pytest.mark.parametrize(
    ("upper_ohm", "lower_ohm", "level"),
    [
        (1000, 2000, Level.HIGH),  # 5 V for 3.3 V
        (330, 10_000, Level.HIGH),
        (1000, 1000, Level.FLOATING),  # an input can take it for either
        (10_000, 3300, Level.LOW),
    ],
)
def test_the_voltage_of_a_divider_says_what_an_input_takes_it_for(
    upper_ohm: int, lower_ohm: int, level: Level
) -> None:
    wires, attrs = divider(upper_ohm, lower_ohm)
    circuit = play({"a": R, "b": R}, *wires, "a:2 - uno:6", attrs=attrs)
    circuit.drive(d7=HIGH)
    assert circuit.shown("6") is level
    circuit.drive(d7=LOW)
    assert circuit.shown("6") is Level.LOW
    circuit.live.find_floating(circuit.now_ticks, circuit.net("uno:6"))
    assert circuit.findings() == []
    circuit.drive(d7=HIGH)
    circuit.live.find_floating(circuit.now_ticks, circuit.net("uno:6"))
    undecided = [(0, "undecided", ("uno:6",))] if level is Level.FLOATING else []
    assert circuit.findings() == undecided


@pytest.mark.parametrize(
    ("ohm", "level"),
    [(1000, Level.LOW), (10_000, Level.LOW), (100_000, Level.HIGH)],
)
def test_a_pull_up_inside_the_chip_gives_way_to_less_than_itself(
    ohm: int, level: Level
) -> None:
    """Some 35 kohm to 5 V, against 100 kohm to ground, are 3.7 V."""
    attrs: Attrs = {"a": {"value": str(ohm)}}
    circuit = play({"a": R}, "uno:6 - a:1", "a:2 - uno:GND.1", attrs=attrs)
    assert circuit.shown("6") is Level.LOW
    circuit.drive(d6=PULL_UP)
    assert circuit.shown("6") is level
    assert circuit.mv("uno:6") == pytest.approx(5000 * ohm / (ohm + 35_000))


def test_a_module_takes_a_divider_by_its_own_supply() -> None:
    """3.0 V less the drop of the pin are high for 3.3 V, and not for 5 V."""
    wires, attrs = divider(2200, 3300)
    shown = []
    for supply in ("3.3V", "5V"):
        ears: list[Ear] = []
        models = eared(ears, "wokwi-servo", "PWM")
        parts = {"a": R, "b": R, "s": "wokwi-servo"}
        ends = "a:2 - s:PWM", f"s:V+ - uno:{supply}", "s:GND - uno:GND.2"
        circuit = play(parts, *wires, *ends, attrs=attrs, models=models)
        circuit.drive(d7=HIGH)
        shown.append(circuit.level("s:PWM"))
    assert shown == [Level.HIGH, Level.FLOATING]


def test_an_echo_comes_through_a_divider() -> None:
    attrs = {"a": {"value": "1000"}, "b": {"value": "2000"}}
    circuit = play(
        {"hc": "wokwi-hc-sr04", "a": R, "b": R},
        *("hc:TRIG - uno:7", "hc:ECHO - a:1", "a:2 - uno:6", "a:2 - b:1"),
        *("b:2 - uno:GND.1", "hc:VCC - uno:5V", "hc:GND - uno:GND.1"),
        attrs=attrs,
    )
    circuit.drive(d7=HIGH)
    circuit.run_to(20)
    circuit.drive(d7=LOW)
    circuit.run_to(100_000)
    assert circuit.edges("uno:6") == circuit.edges("hc:ECHO")
    assert circuit.edges("uno:6")[-1][1] is Level.LOW


def test_a_button_on_a_divider_and_pwm_through_one() -> None:
    """The button takes 5 V away from 1 kOhm over 10 kOhm; PWM comes in its phase."""
    wires = "uno:9 - b:1.l", "b:2.l - up:1", "up:2 - uno:2", "uno:2 - down:1"
    circuit = play(
        {"b": BUTTON, "up": R, "down": R},
        *wires,
        "down:2 - uno:GND.1",
        attrs={**STILL, "up": {"value": "1000"}, "down": {"value": "10000"}},
    )
    circuit.drive(d9=HIGH)
    assert circuit.level("uno:2") is Level.LOW
    circuit.set("b", "pressed", 1)
    assert circuit.level("uno:2") is Level.HIGH
    circuit.pwm("9", 1000, 250)
    circuit.run_to(1300)
    assert circuit.edges("uno:2")[-3:] == [
        (250, Level.LOW),
        (1000, Level.HIGH),
        (1250, Level.LOW),
    ]
    assert circuit.shown("2") is Level.LOW


def test_a_knob_on_a_divider_crosses_where_the_divided_voltage_does() -> None:
    """SIG stays high from 4 V to 5 V; what is behind equal resistors does not."""
    wires = "p:VCC - uno:5V", "p:GND - uno:GND.1", "p:SIG - a:1", "a:2 - uno:2"
    values = {"a": {"value": "1000"}, "b": {"value": "2000"}}
    circuit = play(
        {"p": POT, "a": R, "b": R},
        *(*wires, "uno:2 - b:1", "b:2 - uno:GND.2"),
        attrs=values,
    )
    shown = []
    for position in (0.8, 1.0, 0.95, 0.7):
        circuit.set("p", "position", position)
        shown.append(circuit.shown("2"))
    high, between = Level.HIGH, Level.FLOATING
    assert shown == [between, high, high, between]


def test_five_buttons_on_one_analog_pin() -> None:
    """A ladder: R to 5 V, and buttons that tap a chain of resistors to ground."""
    names = [f"b{number}" for number in range(5)]
    parts = dict.fromkeys(names, BUTTON) | {f"r{n}": R for n in range(5)} | {"up": R}
    attrs: dict[str, dict[str, object]] = {name: {"bounce": "0"} for name in names}
    for number in range(5):
        attrs[f"r{number}"] = {"value": "1000"}
    attrs["up"] = {"value": "2000"}
    wires = ["uno:5V - up:1", "up:2 - uno:A0", "uno:GND.1 - r0:1"]
    wires += [f"r{n}:2 - r{n + 1}:1" for n in range(4)]
    wires += [f"b{n}:1.l - uno:A0" for n in range(5)]
    wires += [f"b{n}:2.l - r{n}:1" for n in range(5)]
    circuit = play(parts, *wires, attrs=attrs)
    assert circuit.mv("uno:A0") == 5000
    for number, name in enumerate(names):
        circuit.set(name, "pressed", 1)
        expected = 5000 * number / (number + 2)
        assert circuit.mv("uno:A0") == pytest.approx(expected, abs=0.01)
        circuit.set(name, "pressed", 0)
    assert circuit.mv("uno:A0") == 5000


def test_a_potentiometer_behind_a_resistor() -> None:
    wires = "p:VCC - uno:5V", "p:GND - uno:GND.1", "p:SIG - r:1", "r:2 - uno:A0"
    circuit = play(
        {"p": POT, "r": R, "down": R},
        *wires,
        "uno:A0 - down:1",
        "down:2 - uno:GND.2",
        attrs={"r": {"value": "1000"}, "down": {"value": "9000"}},
    )
    circuit.set("p", "position", 0.5)
    assert circuit.mv("p:SIG") == 2500
    assert circuit.mv("uno:A0") == pytest.approx(2250)


def test_what_nothing_holds_is_at_0_v() -> None:
    wires = "uno:A0 - b:1.l", "b:2.l - c:1.l", "c:2.l - b:1.l"
    circuit = play({"b": BUTTON, "c": BUTTON}, *wires, attrs=STILL)
    circuit.set("b", "pressed", 1)
    assert circuit.mv("uno:A0") == 0
    assert circuit.level("uno:A0") is Level.FLOATING


# ---------------------------------------------------------------------------- parts
def test_a_remote_is_heard_when_it_is_pressed() -> None:
    """What is sent through the air has the time of the moment that it is sent in."""
    heard: list[int] = []

    def sends(wires: Wires, _attrs: Mapping[str, str]) -> object:
        class Model:
            def control(self, _at: int, _name: str, value: float) -> None:
                wires.broadcast("air", int(value))

        return Model()

    def hears(wires: Wires, _attrs: Mapping[str, str]) -> object:
        wires.on_broadcast("air", lambda at, _: heard.append(at))
        return object()

    circuit = play({"b": BUTTON, "led": LED}, models={BUTTON: sends, LED: hears})
    circuit.run_to(100)
    circuit.set("b", "pressed", 1)
    assert heard == [1600]


def test_a_chip_is_told_once_when_to_come_back() -> None:
    """While it asks what is due the answer tells it: there is one timer, not two."""
    due: list[int] = []

    def make(wires: Wires, _attrs: Mapping[str, str]) -> object:
        def again(at: int) -> None:
            due.append(at)
            if len(due) % 2:
                wires.at(at, again)  # in this moment
            elif at < 1000:
                wires.at(at + 100, again)

        wires.at(100, again)
        return object()

    circuit = play({"led": LED}, models={LED: make})
    assert circuit.chip.wakes_at == 100
    circuit.chip.wakes_at = None
    assert circuit.live.on_due(100) == 200
    assert circuit.chip.wakes_at is None
    assert due == [100, 100]


def test_only_devices_on_the_chips_own_pins_get_bytes() -> None:
    wires = [
        f"d:{pin} - uno:{end}"
        for pin, end in zip(("SDA", "SCL"), ("A4", "A5"), strict=True)
    ]
    wires += ["o:SDA - uno:7", "o:SCL - uno:8"]
    circuit = play({"d": "wokwi-ds1307", "o": "board-ssd1306"}, *wires)
    assert list(circuit.live.buses.i2c) == [0x68]


EACH = "uno:A4 - a:1", "a:2 - d:SDA", "uno:A5 - b:1", "b:2 - d:SCL"
IN_A_ROW = "uno:A4 - a:1", "a:2 - b:1", "b:2 - d:SDA", "uno:A5 - d:SCL"


@pytest.mark.parametrize(
    ("values", "wires", "gets_bytes"),
    [
        ((330, 330), EACH, 1),
        ((470, 1000), IN_A_ROW, 1),
        ((2200, 330), EACH, 0),
        # A line that is wired to ground moves nothing.
        ((330, 330), (*EACH, "uno:A4 - uno:GND.1"), 0),
        # Pull-ups join nothing, and neither does another pin.
        ((470, 470), (*IN_A_ROW, "a:2 - uno:5V"), 0),
        ((470, 470), (*IN_A_ROW, "a:2 - uno:7"), 0),
    ],
)
def test_devices_behind_resistors_in_series_get_bytes(
    values: tuple[int, int], wires: tuple[str, ...], *, gets_bytes: int
) -> None:
    attrs: Attrs = {"a": {"value": str(values[0])}, "b": {"value": str(values[1])}}
    circuit = play({"d": "wokwi-ds1307", "a": R, "b": R}, *wires, attrs=attrs)
    assert list(circuit.live.buses.i2c) == [0x68] * gets_bytes


def test_software_talks_i2c_over_resistors_in_series() -> None:
    """330 ohm against a module's 10 kOhm: low enough, in both directions."""
    attrs: Attrs = {"a": {"value": "330"}, "b": {"value": "330"}}
    wires = "uno:7 - a:1", "a:2 - d:SDA", "uno:8 - b:1", "b:2 - d:SCL"
    circuit = play({"d": "wokwi-ds1307", "a": R, "b": R}, *wires, attrs=attrs)

    def put(**lines: PinDrive) -> None:
        circuit.drive(**lines)
        circuit.run_to(circuit.now_ticks / TICKS_PER_US + 5)

    put(d7=PULL_UP, d8=PULL_UP)
    put(d7=LOW)
    for bit in f"{0x68 << 1:08b}1":
        put(d8=LOW)
        put(d7=PULL_UP if bit == "1" else LOW)
        put(d8=PULL_UP)
    assert circuit.shown("7") is Level.LOW  # which is the acknowledge


def test_spi_goes_over_level_shifters_in_bytes() -> None:
    """Dividers of 1 and 2 kOhm in front of a module for 3.3 V, and select as well."""
    names = ["c", "d", "s"]
    parts = {f"{name}{end}": R for name in names for end in "12"}
    attrs = {each: {"value": f"{each[1]}000"} for each in parts}
    wires = [f"{name}1:2 - {name}2:1" for name in names]
    wires += [f"{name}2:2 - uno:GND.1" for name in names]
    ends = {"c": ("13", "CLK"), "d": ("11", "DIN"), "s": ("10", "CS")}
    for name, (pin, end) in ends.items():
        wires += [f"uno:{pin} - {name}1:1", f"{name}1:2 - m:{end}"]
    circuit = play({"m": "wokwi-max7219-matrix", **parts}, *wires, attrs=attrs)
    buses, pins = circuit.live.buses, circuit.live.chip_pins
    assert not buses.spi_needs_edges(pins["13"], pins["11"])
    circuit.drive(d10=HIGH)
    circuit.run_to(1)
    circuit.drive(d10=LOW)
    circuit.run_to(2)
    for at_us, byte in ((3, 0x0A), (4, 0x05)):  # the intensity
        buses.exchange(at_us * TICKS_PER_US, byte)
    circuit.run_to(5)
    circuit.drive(d10=HIGH)
    circuit.run_to(6)
    assert circuit.see("m", "intensity") == (5,)


@pytest.mark.parametrize(
    ("extra", "in_bits"), [((), 0), (("uno:13 - s:SHCP",), 1), (("uno:13 - uno:2",), 1)]
)
def test_spi_is_in_bits_where_somebody_needs_them(
    extra: tuple[str, ...], in_bits: int
) -> None:
    """A resistor at the clock is nobody, and neither is the chip that drives it."""
    wires = "m:DIN - uno:11", "m:CLK - uno:13", "m:CS - uno:10", "r:1 - uno:13"
    parts = {"m": "wokwi-max7219-matrix", "s": SHIFTER, "r": R}
    circuit = play(parts, *wires, *extra)
    pins = circuit.live.chip_pins
    needs = circuit.live.buses.spi_needs_edges(pins["13"], pins["11"])
    assert needs is bool(in_bits)


@pytest.mark.parametrize(("extra", "back"), [((), None), (("m:DOUT - uno:12",), 0x5A)])
def test_only_who_is_wired_to_miso_answers(
    extra: tuple[str, ...], back: int | None
) -> None:
    wires = "m:DIN - uno:11", "m:CLK - uno:13", "m:CS - uno:10"
    circuit = play({"m": "wokwi-max7219-matrix"}, *wires, *extra)
    circuit.drive(d10=LOW)
    circuit.run_to(1)
    buses = circuit.live.buses
    for at_ticks, byte in ((32, 0x5A), (64, 0)):
        buses.exchange(at_ticks, byte)
    assert buses.exchange(96, 0) == back


def test_controls_and_observables_that_are_not_there() -> None:
    circuit = play({"p": POT})
    with pytest.raises(UnknownName, match="nope"):
        circuit.set("p", "nope", 1)
    with pytest.raises(ConfigError, match="0 to 1"):
        circuit.set("p", "position", 2)
    with pytest.raises(UnknownName, match="'q'"):
        circuit.see("q", "text")


# ---------------------------------------------------------------------- whole runs
PARTS = {
    "b": BUTTON,
    "r": R,
    "down": R,
    "led": LED,
    "s": SHIFTER,
    "p": POT,
    "hc": "wokwi-hc-sr04",
}
WIRES = (
    *("uno:2 - b:1.l", "b:2.l - uno:GND.1", "uno:9 - r:1", "r:2 - led:A"),
    *("led:C - uno:GND.2", "uno:3 - s:DS", "uno:4 - s:SHCP", "uno:5 - s:STCP"),
    *("s:MR - uno:5V", "s:OE - uno:GND.1", "s:VCC - uno:5V", "p:SIG - uno:A0"),
    *("p:VCC - uno:5V", "p:GND - uno:GND.3", "hc:TRIG - uno:7", "hc:ECHO - uno:6"),
    *("hc:VCC - uno:5V", "hc:GND - uno:GND.1", "hc:ECHO - uno:8"),
    *("led:A - down:1", "down:2 - uno:GND.1"),
)


def whole_run(parts: dict[str, str], wires: list[str], step_us: int) -> list[object]:
    circuit = play(parts, *wires, attrs={"down": {"value": "4700"}})

    def pass_to(at_us: int) -> None:
        now_us = circuit.now_ticks // TICKS_PER_US
        for each in range(now_us + step_us, at_us, step_us):
            circuit.run_to(each)
        circuit.run_to(at_us)

    circuit.drive(d2=PULL_UP)
    pass_to(100)
    circuit.pwm("9", 200, 60)
    for bit in range(16):
        pass_to(200 + 40 * bit)
        circuit.drive(d3=HIGH if bit % 3 else LOW, d4=LOW)
        pass_to(220 + 40 * bit)
        circuit.drive(d4=HIGH)
    circuit.drive(d5=HIGH, d7=HIGH)
    circuit.set("b", "pressed", 1)
    pass_to(1500)
    circuit.drive(d5=LOW, d7=LOW)
    circuit.set("p", "position", 0.3)
    pass_to(9000)
    circuit.set("b", "pressed", 0)
    circuit.pwm("9", 0, 0, HIGH)
    pass_to(30000)
    pins = sorted({wire.split(" - ")[0] for wire in WIRES})
    seen = [circuit.see("led", "brightness"), circuit.see("s", "outputs")]
    return [*seen, circuit.mv("uno:A0"), *[(pin, circuit.edges(pin)) for pin in pins]]


WHOLE = whole_run(PARTS, list(WIRES), 30000)


@given(
    st.permutations(list(PARTS)),
    st.permutations(WIRES),
    st.sampled_from([7, 333, 5000]),
)
def test_nothing_depends_on_the_order_in_the_file_or_on_steps(
    parts: list[str], wires: list[str], step_us: int
) -> None:
    ordered = {name: PARTS[name] for name in parts}
    assert whole_run(ordered, wires, step_us) == WHOLE
