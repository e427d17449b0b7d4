"""Parts on boards at 16 MHz, by C from datasheets and Wokwi's pages alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.avr_circuit import circuit, powered, said, wired
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_circuit import Wired
    from tests.e2e.avr_firmware import SimavrBoard

__all__ = ["avr_image", "boot", "simavr", "wired"]


def reading(board: SimavrBoard, duration_ms: int = 25) -> list[int]:
    """Let time pass, and return the numbers of the last whole line."""
    return [int(word) for word in said(board, duration_ms)[-2].split()[1:]]


BAR_PINS = ("2", "3", "4", "5", "6", "7", "8", "A0", "A1")


@pytest.mark.parametrize(
    ("common", "joined", "shares"),
    [("cathode", "GND.2", (0.25, 0.5, 1)), ("anode", "5V", (0.75, 0.5, 0))],
)
def test_a_bar_and_three_colors(
    wired: Wired, common: str, joined: str, shares: tuple[float, ...]
) -> None:
    bar = [f"uno:{pin} - bar:A{index}" for index, pin in enumerate(BAR_PINS, 1)]
    board = wired(
        "lamps",
        {"bar": "wokwi-led-bar-graph", "rgb": "wokwi-rgb-led"},
        *(*bar, *(f"bar:C{index} - uno:GND.1" for index in range(1, 10))),
        *("uno:5V - bar:A10", "uno:A2 - bar:C10"),
        *("uno:9 - rgb:R", "uno:10 - rgb:G", "uno:11 - rgb:B"),
        f"rgb:COM - uno:{joined}",
        attrs={"rgb": {"common": common}},
    )
    board.advance(100)
    lit = circuit(board).observe("bar", "brightnesses")
    assert lit == pytest.approx((1, 1, 1, 1, 1, 1, 1, 0, 0.25, 1), abs=0.04)
    assert circuit(board).observe("rgb", "rgb") == pytest.approx(shares, abs=0.01)


@pytest.mark.parametrize("bounce", ["0", "1"])
def test_slides_and_dip_switches(wired: Wired, bounce: str) -> None:
    dip = [
        wire
        for index in range(1, 9)
        for wire in (f"dip:{index}a - uno:GND.1", f"uno:{index + 2} - dip:{index}b")
    ]
    board = wired(
        "contacts",
        {"slide": "wokwi-slide-switch", "dip": "wokwi-dip-switch-8"},
        *("slide:1 - uno:GND.2", "slide:2 - uno:2", "slide:3 - uno:5V", *dip),
        attrs={
            "slide": {"value": "1", "bounce": bounce},
            "dip": {"values": "10000001"},
        },
    )
    # Wokwi: value 1 joins 2 and 3, else 1 and 2.
    assert said(board, 50) == ["SLIDE 1", "DIP 129", "EDGES 0"]
    circuit(board).control("dip", "switch1", 0)
    circuit(board).control("dip", "switch4", 1)
    assert said(board, 50) == ["SLIDE 1", "DIP 136", "EDGES 0"]
    circuit(board).control("slide", "value", 0)
    slide, dips, edges = said(board, 50)
    assert (slide, dips) == ("SLIDE 0", "DIP 136")
    counted = int(edges.split()[1])
    assert counted == 1 if bounce == "0" else 3 <= counted <= 201
    circuit(board).control("slide", "value", 1)
    assert said(board, 50)[0] == "SLIDE 1"


def test_relays_break_before_they_make(wired: Wired) -> None:
    board = wired(
        "coils",
        {"one": "wokwi-relay-module", "two": "wokwi-ks2e-m-dc5"},
        *("uno:2 - one:IN", "uno:3 - one:NC", "uno:4 - one:NO", "one:COM - uno:GND.2"),
        *("uno:5 - two:COIL1", "two:COIL2 - uno:GND.2", *powered("one")),
        *("uno:7 - two:NC1", "uno:6 - two:NO1", "two:P1 - uno:GND.2"),
        *("uno:9 - two:NC2", "uno:8 - two:NO2", "two:P2 - uno:GND.2"),
    )
    board.advance(50)
    assert circuit(board).observe("one", "is_on") is True
    assert circuit(board).observe("two", "is_on") is True
    lines = said(board, 260)
    rest, on, pulled, off, again, short, half = (line.split()[1:] for line in lines)
    assert (rest, pulled, again) == (["21"], ["42"], ["21"])  # bits NC and bits NO
    for moved, latest_ms in ((on, 10), (off, 5)):
        times = [tuple(map(int, word.split(":"))) for word in moved]
        for nc, no in zip(times[::2], times[1::2], strict=True):
            opens, closes = (nc, no) if moved is on else (no, nc)
            assert 0 < opens[0] <= closes[0] <= latest_ms * 10 + 1
            assert opens[1] % 2 == closes[1] % 2 == 1
        assert [count for _, count in times[:2]] == [1, 1]
        assert max(count for _, count in times[2:]) > 1  # it bounces
    assert short == half == ["0:0"] * 6


def test_a_relay_with_pnp_is_pulled_by_low(wired: Wired) -> None:
    """docs.wokwi.com/parts/wokwi-relay-module, its table: pnp is active-low."""
    board = wired(
        "coils",
        {"one": "wokwi-relay-module"},
        *("uno:2 - one:IN", "uno:3 - one:NC", "uno:4 - one:NO", "one:COM - uno:GND.2"),
        *powered("one"),
        attrs={"one": {"transistor": "pnp"}},
    )
    lines = said(board, 130)
    assert (lines[0], lines[2], lines[4]) == ("REST 2", "PULLED 1", "REST 2")


SENSES = {
    "light": "wokwi-photoresistor-sensor",
    "gas": "wokwi-gas-sensor",
    "slide": "wokwi-slide-potentiometer",
    "pir": "wokwi-pir-motion-sensor",
}
SENSE_WIRES = (
    *("uno:A0 - light:AO", "uno:2 - light:DO", "uno:A1 - gas:AOUT"),
    *("uno:3 - gas:DOUT", "uno:A2 - slide:SIG", "uno:4 - pir:OUT"),
    *powered("light", "gas", "slide", "pir"),
)


@pytest.mark.parametrize("name", ["uno", "mega"])
def test_light_gas_and_slides_are_voltages(wired: Wired, name: str) -> None:
    board = wired("senses", SENSES, *SENSE_WIRES, board=name)
    # docs.wokwi.com/parts/wokwi-photoresistor-sensor: the table of AO, and DO.
    light = [(0.1, 4.96), (1, 4.81), (10, 4.17), (50, 3.09), (99, 2.51), (400, 1.37)]
    light += [(1000, 0.83), (10_000, 0.19), (100_000, 0.04)]
    for lux, volts in light:
        circuit(board).control("light", "lux", lux)
        ao, _, _, do, _, _ = reading(board)
        assert ao == pytest.approx(volts * 1024 / 5, abs=2.1)
        assert do == (ao > 512)
    # It divides 5 V; the module says gas, low, over 4.4 V, if not told otherwise.
    before = -1
    for ppm in (0, 400, 1000, 5000, 6000, 100_000):
        circuit(board).control("gas", "ppm", ppm)
        _, aout, _, _, dout, _ = reading(board)
        assert before < aout < 1024
        assert dout == (aout < 4.4 * 1024 / 5)
        before = aout
    for position, value in ((0, 0), (0.25, 256), (0.5, 512), (1, 1023)):
        circuit(board).control("slide", "position", position)
        assert reading(board)[2] == pytest.approx(value, abs=1)


@pytest.mark.parametrize("retrigger", ["", "0"])
def test_movements_hold_their_output(wired: Wired, retrigger: str) -> None:
    """docs.wokwi.com/parts/wokwi-pir-motion-sensor."""
    pir = {"delayTime": "0.5", "inhibitTime": "0.2", "retrigger": retrigger or "1"}
    board = wired("senses", SENSES, *SENSE_WIRES, attrs={"pir": pir})

    def moves() -> None:
        circuit(board).control("pir", "motion", 1)
        circuit(board).control("pir", "motion", 0)

    assert reading(board)[5] == 0
    moves()
    assert reading(board)[5] == 1
    board.advance(275)
    moves()  # 300 ms after the first
    assert reading(board, 180)[5] == 1
    assert reading(board, 60)[5] == (retrigger != "0")  # 540 ms
    assert reading(board, 240)[5] == (1 if retrigger != "0" else 0)  # 780 ms
    if retrigger != "0":
        assert reading(board, 40)[5] == 0  # 820 ms, and it fell at 800
        moves()  # within the time in which it sees nothing
        assert reading(board, 150)[5] == 0
        board.advance(40)
        moves()  # 1010 ms
        assert reading(board)[5] == 1


@pytest.mark.parametrize(("zero", "one"), [(4, 10), (6, 13), (6, 16)])
def test_pixels_take_the_widths_of_their_datasheets(
    wired: Wired, zero: int, one: int
) -> None:
    """WS2812B: 0 is high for 220 to 380 ns, 1 for 580 ns to 1 us."""
    board = wired(
        "strip",
        {"strip": "wokwi-led-strip", "matrix": "wokwi-neopixel-matrix"},
        *("uno:8 - strip:DIN", "strip:DOUT - matrix:DIN", "uno:5V - strip:VDD"),
        *("uno:GND.1 - strip:VSS", *powered("matrix")),
        attrs={
            "strip": {"pixels": "3"},
            "matrix": {"rows": "2", "cols": "3", "matrixLayout": "serpentine"},
        },
        flags=[f"-DZERO={zero}", f"-DONE={one}"],
    )
    board.advance(3)
    sent = [(255 - i, i, 0xAA if i & 1 else 0x55) for i in range(9)]
    assert circuit(board).observe("strip", "pixels") == tuple(sent[:3])
    rows = (tuple(sent[3:6]), tuple(reversed(sent[6:])))
    assert circuit(board).observe("matrix", "pixels") == rows
    board.advance(5)
    two = ((201, 200, 202), (204, 203, 205), sent[2])
    assert circuit(board).observe("strip", "pixels") == two
    assert circuit(board).observe("matrix", "pixels") == rows


@pytest.mark.parametrize("layout", ["fc16", "parola"])
def test_two_matrices_and_a_motor(wired: Wired, layout: str) -> None:
    """MAX7219: the first 16 bits of 32 are the far chip's; A4988: tables 1 and 2."""
    board = wired(
        "chain",
        {"m": "wokwi-max7219-matrix", "drv": "wokwi-a4988", "s": "wokwi-stepper-motor"},
        *("uno:11 - m:DIN", "uno:10 - m:CS", "uno:13 - m:CLK", "uno:5V - m:V+"),
        *(
            "uno:GND.1 - m:GND",
            "uno:2 - drv:STEP",
            "uno:3 - drv:DIR",
            "uno:4 - drv:MS1",
        ),
        *("uno:5 - drv:MS2", "uno:6 - drv:MS3", "uno:7 - drv:ENABLE"),
        *("drv:RESET - drv:SLEEP", "uno:5V - drv:VDD", "uno:GND.2 - drv:GND.1"),
        *("drv:1A - s:B+", "drv:1B - s:B-", "drv:2A - s:A+", "drv:2B - s:A-"),
        attrs={"m": {"chain": "2", "layout": layout}},
    )
    far = [0x80 >> row for row in range(7)] + [0xFF]
    near = [0xF0] + [1] * 7
    angles: dict[str, object] = {}
    shown: list[object] = []
    for _ in range(60):
        for line in said(board, 8):
            angles[line] = circuit(board).observe("s", "angle_deg")
            if line == "SHOWN":
                shown.append(circuit(board).observe("m", "pixels"))
    rows = [f"{a:08b}{b:08b}" for a, b in zip(far, near, strict=True)]
    if layout == "parola":  # the highest bit is at the right
        rows = [row[7::-1] + row[:7:-1] for row in rows]
    assert shown == [tuple(tuple(bit == "1" for bit in row) for row in rows)]
    assert circuit(board).observe("m", "intensity") == (15, 3)
    resting = tuple(tuple(bit == "1" for bit in row[:8]) + (False,) * 8 for row in rows)
    assert circuit(board).observe("m", "pixels") == resting
    assert angles["FULL"] == 90
    assert angles["HALF"] == 135
    assert angles["QUARTER"] == 90
    assert angles["SIXTEENTH"] == 72
    assert angles["LOOSE"] == 72
    assert angles["HELD"] == 70.2


@pytest.mark.parametrize("flags", [[], ["-DNIBBLES"]])
def test_four_rows_of_twenty(wired: Wired, flags: list[str]) -> None:
    """HD44780U: what goes on after the first row of 20 is in the third."""
    pins = range(8) if not flags else range(4, 8)
    board = wired(
        "screen",
        {"lcd": "wokwi-lcd2004"},
        *(f"uno:{pin} - lcd:D{pin}" for pin in pins),
        *("uno:8 - lcd:RS", "uno:9 - lcd:E", "uno:GND.1 - lcd:RW"),
        *("uno:GND.1 - lcd:VSS", "uno:5V - lcd:VDD"),
        flags=flags,
    )
    board.advance(90)
    assert circuit(board).observe("lcd", "text") == (
        "row one, of twenty..",
        "row two: 21.5\N{DEGREE SIGN}C \N{RIGHTWARDS ARROW}\x02  ",
        "row three, after one",
        "backwards".rjust(20),
    )
    assert circuit(board).observe("lcd", "cursor") == (3, 19)
    glyphs = circuit(board).observe("lcd", "glyphs")
    assert isinstance(glyphs, tuple)
    side, full = (True, False, False, False, True), (True,) * 5
    assert glyphs[2] == (side, full) * 4
    board.advance(40)
    shifted = circuit(board).observe("lcd", "text")
    assert isinstance(shifted, tuple)
    assert shifted[0] == "erow one, of twenty."  # a line of 40 goes round


def test_turns_flow_clocks_and_a_servo(wired: Wired) -> None:
    board = wired(
        "motions",
        {
            "knob": "wokwi-ky-040",
            "flow": "embedbench-flow-sensor",
            "clock": "wokwi-clock-generator",
            "servo": "embedbench-hs-311",
        },
        *("uno:2 - knob:CLK", "uno:3 - knob:DT", "uno:6 - knob:SW", "uno:7 - flow:OUT"),
        *("uno:4 - clock:CLK", "clock:GND - uno:GND.2", "uno:9 - servo:PWM"),
        *("servo:V+ - uno:5V", "servo:GND - uno:GND.3", *powered("knob", "flow")),
        attrs={"clock": {"frequency": "25k"}},
    )
    lines: list[list[int]] = []
    angles: list[object] = []

    def goes_on() -> None:
        lines.extend(
            [int(word) for word in line.split()[1:]] for line in said(board, 100)
        )
        angles.append(circuit(board).observe("servo", "angle_deg"))

    board.advance(30)  # the middle of a frame
    goes_on()
    circuit(board).control("flow", "flow", 30)
    circuit(board).control("knob", "turn", 3)
    for _ in range(2):
        goes_on()
    circuit(board).control("knob", "turn", -5)
    circuit(board).control("knob", "pressed", 1)
    for _ in range(5):
        goes_on()
    # HITEC: 10 us are a degree, 1500 us the middle; DFRobot: 600 to 2400 us and stops.
    assert angles == pytest.approx([90, 130, 50, 0, 180, 0, 180, 90], abs=0.2)
    knob, flow, clocks, button = zip(*lines, strict=True)
    assert knob[0] == 1000
    assert knob[2] == 1000 + 3 * 4
    assert knob[-1] == 1000 - 2 * 4
    assert button == (1, 1, 1, 0, 0, 0, 0, 0)
    # 225 Hz at 30 l/min; 25 kHz.
    assert flow[0] == 0
    assert sum(flow[3:]) == pytest.approx(112.5, abs=1)
    assert clocks[1:] == pytest.approx([2500] * 7, abs=5)


def signed(word: int) -> int:
    return word - 0x10000 if word & 0x8000 else word


SENSED = (
    *("accelX", "accelY", "accelZ", "temperature"),
    *("rotationX", "rotationY", "rotationZ"),
)
# g, g, g, C, and degrees per second.
MOVES = (
    (-1, 0.5, 1, 24, 250, -250, 10),
    (16, -16, 0, -40, 2000, -2000, -1),
    (-2, 1.9, 2.5, 85, 100, -100, 0),
)


@pytest.mark.parametrize("name", ["uno", "mega"])
def test_motion_is_measured_and_a_box_is_seen(wired: Wired, name: str) -> None:
    """MPU-6050, register map 4.17 to 4.19; SSD1306, chapter 10."""
    data, clk = ("A4", "A5") if name == "uno" else ("20", "21")
    board = wired(
        "pages",
        {"mpu": "wokwi-mpu6050", "oled": "wokwi-ssd1306"},
        *(f"uno:{data} - mpu:SDA", f"uno:{clk} - mpu:SCL", "uno:5V - mpu:AD0"),
        *(f"uno:{data} - oled:DATA", f"uno:{clk} - oled:CLK", *powered("mpu")),
        *("uno:5V - oled:VIN", "uno:GND.1 - oled:GND"),
        board=name,
    )
    sent = {(3, 10): 0x81, (3, 11): 0x83, (3, 12): 0x85}
    sent |= {(4, 10): 0x87, (4, 11): 0x89, (4, 12): 0x8B}
    box = {
        (page * 8 + bit, column)
        for (page, column), byte in sent.items()
        for bit in range(8)
        if byte >> bit & 1
    }

    def lit() -> set[tuple[int, int]]:
        rows = circuit(board).observe("oled", "pixels")
        assert isinstance(rows, tuple)
        return {
            (y, x)
            for y, row in enumerate(rows)
            if isinstance(row, tuple)
            for x, on in enumerate(row)
            if on
        }

    every = {(y, x) for y in range(64) for x in range(128)}
    lines = said(board, 60)
    assert lines[:4] == ["NOBODY 32", "WHO 104", "POWER 64", "ASLEEP 0 0 0 0 0 0 0"]
    assert lines[4:] == ["BOX"]
    assert lit() == box
    board.advance(30)
    assert lit() == every - box
    board.advance(30)
    assert lit() == {(y - 5, x) for y, x in box}
    board.advance(30)
    assert lit() == set()
    for felt in MOVES:
        for control, value in zip(SENSED, felt, strict=True):
            circuit(board).control("mpu", control, value)
        said(board, 20)
        read = {
            line.split()[0]: [signed(int(word)) for word in line.split()[1:]]
            for line in said(board, 40)[1:-1]
        }
        for sort, per_g, per_dps in (("FINE", 16384, 131), ("COARSE", 2048, 16.4)):
            scales = [per_g] * 3 + [340] + [per_dps] * 3
            wanted = [
                min(32767, max(-32768, (value - offset) * scale))
                for value, scale, offset in zip(
                    felt, scales, (0, 0, 0, 36.53, 0, 0, 0), strict=True
                )
            ]
            assert read[sort] == pytest.approx(wanted, abs=5)


def test_two_wires_are_read_bit_by_bit(wired: Wired) -> None:
    """Aosong, DHT11; Maxim, DS18B20: its table of temperatures, and its times."""
    board = wired(
        "wires",
        {
            "dht": "embedbench-dht11",
            "ds": "wokwi-ds18b20",
            "r1": "wokwi-resistor",
            "r2": "wokwi-resistor",
        },
        *("uno:2 - dht:SDA", "uno:2 - r1:1", "r1:2 - uno:5V"),
        *("uno:3 - ds:DQ", "uno:3 - r2:1", "r2:2 - uno:5V", *powered("dht", "ds")),
        attrs={
            "dht": {"temperature": "0", "humidity": "100"},
            "ds": {"temperature": "-55"},
            "r1": {"value": "4700"},
            "r2": {"value": "4700"},
        },
    )
    said_all: list[str] = []
    for celsius, humidity, felt in ((50, 0, 125), (23, 45, -10.125), (0, 5, -0.0625)):
        said_all += said(board, 900)  # once round
        circuit(board).control("dht", "temperature", celsius)
        circuit(board).control("dht", "humidity", humidity)
        circuit(board).control("ds", "temperature", felt)
    said_all += said(board, 960)
    assert said_all[0].startswith("TIMES 250")
    assert circuit(board).observe("dht", "readings") in {4, 5}
    times = [line.split()[1:] for line in said_all if line.startswith("TIMES")][1:]
    for row in times:
        waited, answer, ready, gap_min, gap_max, zero, one = map(int, row)
        assert 18 <= waited <= 41
        assert [answer, ready] == pytest.approx([80, 80], abs=3)
        assert 46 <= gap_min <= gap_max <= 53
        assert zero in range(30)
        assert one == 255 or one in range(66, 74)
    got = [line.split()[1:] for line in said_all if line.startswith("BYTES")][1:]
    assert got == [
        *(["100", "0", "0", "0", "100"], ["0", "0", "50", "0", "50"]),
        *(["45", "0", "23", "0", "68"], ["5", "0", "0", "0", "5"]),
    ]
    raw = [int(line.split()[1]) for line in said_all if line.startswith("RAW")]
    # 12 bits, then 9, of which the lowest three are no part of the reading.
    assert raw[::2][:4] == [0xFC90, 0x07D0, 0xFF5E, 0xFFFF]
    assert [each & 0xFFF8 for each in raw[1::2][:4]] == [0xFC90, 0x07D0, 0xFF58, 0xFFF8]
    assert {line for line in said_all if line.startswith("CRC")} == {"CRC 0"}
    eighths = [int(line.split()[1]) for line in said_all if line.startswith("EIGHTS")]
    # Both end within the datasheet's longest times, and are no faster than a half.
    assert {375 <= each * 8 <= 750 for each in eighths[::2]} == {True}
    assert {46 <= each * 8 <= 94 for each in eighths[1::2]} == {True}
    configs = [line for line in said_all if line.startswith("CONFIG")]
    assert configs[:2] == ["CONFIG 127", "CONFIG 31"]
