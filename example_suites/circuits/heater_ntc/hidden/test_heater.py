"""What the body feels, what outlives the power, and how much the chip sleeps."""

from itertools import pairwise

import pytest

from pytest_embedbench import ActsBy, Coupling, Level, PlantPins, SensedBy
from pytest_embedbench.grading.checks import insist_bound, insist_that

PINS = Coupling(
    pins=PlantPins(
        senses=(
            SensedBy(
                line="SENSE TEMP", part="ntc1", control="temperature", scale=0.001
            ),
        ),
        acts=(
            ActsBy(line="ACT HEATER", part="fet1", observable="on_share", scale=100),
        ),
    )
)
LIMITS = {"H3: warmer than 60 C": lambda state: state.body_mc <= 60_000}
SECOND_MS = 1_000
MINUTE_MS = 60_000
BAND_MC = 2_000
PRESS_MS = 30


@pytest.fixture
def connect(bench, plant):
    """A function that puts a body around the thermistor."""

    def put(**start):
        return bench.connect(plant(**start), coupling=PINS, invariants=LIMITS)

    return put


def boot(bench):
    """Return the set-point that the firmware says that it has."""
    return int(bench.expect(r"^BOOT (\d+)$", within_ms=500)[1])


def press(bench, circuit, button):
    """Press it, let go, and return the set-point that is said."""
    circuit[button].press(duration_ms=PRESS_MS)
    said = bench.expect(r"^SET (\d+)$", within_ms=250 - PRESS_MS)
    bench.run_for(100)
    return int(said[1])


def insist_in_band(loop, setpoint_mc, since_ms, why):
    """H2, for all that was sampled since then."""
    seen = [s.state.body_mc for s in loop.samples if s.at_ms >= since_ms]
    insist_bound(
        "body_mc at most", max(seen), at_most=setpoint_mc + BAND_MC, why=f"H2: {why}"
    )
    insist_bound(
        "body_mc at least", min(seen), at_least=setpoint_mc - BAND_MC, why=f"H2: {why}"
    )


def reached_ms(loop, target_mc):
    found = (s.at_ms for s in loop.samples if s.state.body_mc >= target_mc)
    return next(found, loop.plant_ms)


@pytest.mark.brief("H1", "H2", "H3", "H5", "H6")
def test_it_is_warm_for_minutes_whatever_the_set_point(bench, circuit, connect):
    loop = connect(body_mc=36_000)
    insist_that("set-point at first", boot(bench), due=40)
    bench.run_for(90 * SECOND_MS)
    insist_in_band(loop, 40_000, reached_ms(loop, 40_000), "kept at 40 C")
    insist_bound("reached", reached_ms(loop, 40_000), at_most=MINUTE_MS, why="H2")
    for step in range(4):
        said_c = press(bench, circuit, "up")
        insist_that("SET", said_c, due=41 + step, why="H5: one press is 1 C")
    changed_ms = loop.plant_ms
    bench.run_for(90 * SECOND_MS)
    insist_in_band(loop, 44_000, reached_ms(loop, 44_000), "once it was at 44 C")
    lasted_ms = reached_ms(loop, 44_000) - changed_ms
    insist_bound("ms to 44 C", lasted_ms, at_most=MINUTE_MS, why="H2: a longer way")


@pytest.mark.brief("H3", "H5")
def test_at_the_highest_set_point_it_never_gets_too_hot(bench, circuit, connect):
    loop = connect(body_mc=54_000)
    boot(bench)
    said = [press(bench, circuit, "up") for _ in range(17)]
    insist_that(
        "the last set-points", said[-3:], due=[55] * 3, why="H5: 55 is the last"
    )
    bench.run_for(30 * SECOND_MS)
    insist_in_band(loop, 55_000, reached_ms(loop, 55_000), "kept at 55 C")
    loop.change(ambient_mc=58_000)
    bench.run_for(20 * SECOND_MS)


@pytest.mark.brief("H5", "H6")
def test_a_press_is_one_however_long_and_30_is_the_last(bench, circuit):
    boot(bench)
    circuit["up"].press(duration_ms=1500)
    bench.run_for(500)
    said = [line for line in bench.uart.heard() if line.startswith("SET")]
    insist_that("what is said of one long press", said, due=["SET 41"])
    bench.uart.skip()
    found = [press(bench, circuit, "down") for _ in range(13)]
    insist_that("set-points", found, due=[*range(40, 29, -1), 30, 30])


@pytest.mark.brief("H4", "H2")
@pytest.mark.parametrize("broken", ["sensor_open", "sensor_shorted"])
def test_a_broken_sensor_ends_the_heat(bench, connect, broken):
    loop = connect(body_mc=36_000)
    boot(bench)
    bench.run_for(2_000)
    insist_that("heater_pct", loop.state.heater_pct, due=100, at_ms=loop.plant_ms)
    loop.change(**{broken: True})
    broke_ms = loop.plant_ms
    bench.expect("^FAULT SENSOR$", within_ms=750)
    bench.run_for(8_000)
    heated = [
        s.at_ms
        for s in loop.samples
        if s.at_ms > broke_ms + 1_000 and s.state.heater_pct
    ]
    insist_that("when it heated, with a broken sensor", heated, due=[], why="H4")
    loop.change(**{broken: False})
    bench.run_for(2 * MINUTE_MS)
    insist_in_band(
        loop, 40_000, reached_ms(loop, 40_000), "after the sensor was mended"
    )
    insist_bound(
        "reached", reached_ms(loop, 40_000), at_most=loop.plant_ms - 1, why="H4"
    )


@pytest.mark.brief("H6", "H7", "H1")
def test_the_set_point_outlives_the_power(bench, circuit, connect):
    loop = connect(body_mc=40_000)
    boot(bench)
    for _ in range(3):
        press(bench, circuit, "up")
    bench.run_for(20 * SECOND_MS)
    bench.power_cycle()
    insist_that("BOOT", boot(bench), due=43, why="H7: lost with the power")
    bench.run_for(30 * SECOND_MS)
    insist_in_band(
        loop, 43_000, loop.plant_ms - 20 * SECOND_MS, "after a loss of power"
    )


@pytest.mark.brief("H7")
def test_power_that_goes_while_it_is_stored_leaves_a_set_point(bench, circuit):
    """In steps of 1 ms, up to where it was said to be stored, and after it."""
    setpoint_c = boot(bench)
    bench.run_for(1_000)
    pressed_us = bench.uart.now_us
    circuit["up"].hold()
    bench.expect(r"^SET \d+$", within_ms=250)
    said_after_ms = (bench.uart.now_us - pressed_us) // 1000
    circuit["up"].release()
    bench.run_for(300)
    setpoint_c += 1
    for after_ms in range(max(1, said_after_ms - 24), said_after_ms + 3):
        button, change = ("up", 1) if setpoint_c < 50 else ("down", -1)
        mark = bench.uart.mark()
        circuit[button].hold()
        bench.run_for(after_ms)
        said = bench.uart.heard(mark)
        bench.power_cycle()
        circuit[button].release()
        found_c = boot(bench)
        wanted = {setpoint_c + change} if said else {setpoint_c, setpoint_c + change}
        insist_that(
            f"BOOT {found_c}, not {setpoint_c}, power gone {after_ms} ms after a press",
            found_c in wanted,
            why=f"H7: it can be {sorted(wanted)}",
        )
        setpoint_c = found_c
        bench.run_for(300)


@pytest.mark.brief("H8", "H7")
@pytest.mark.parametrize("lost", ["reset", "power_cycle"])
def test_a_start_in_the_middle_of_heating_begins_with_it_off(
    bench, circuit, connect, lost
):
    loop = connect(body_mc=36_000)
    boot(bench)
    press(bench, circuit, "up")
    bench.run_for(2_000)
    loop.change(sensor_open=True)
    circuit["ntc1"].set(temperature=-55)
    bench.run_for(1)
    insist_that("the gate", circuit.level("fet1:G").name, due="HIGH", why="it heats")
    began_us = bench.uart.now_us
    getattr(bench, lost)()
    insist_that("BOOT", boot(bench), due=41, why="H7")
    bench.run_for(2_000)
    on = [
        at_ns // 1000
        for at_ns, level in circuit.edges("fet1:G", since_us=began_us + 1)
        if level is Level.HIGH
    ]
    insist_that("when it was on after the start", on, due=[], why="H8: not read yet")
    loop.change(sensor_open=False)
    bench.run_for(35 * SECOND_MS)
    insist_in_band(loop, 41_000, reached_ms(loop, 41_000), "after the start")
    insist_bound(
        "reached", reached_ms(loop, 41_000), at_most=loop.plant_ms - 1, why="H2"
    )


@pytest.mark.brief("H9")
def test_it_sleeps_nearly_all_the_time(bench, circuit, connect):
    connect(body_mc=39_000)
    boot(bench)
    bench.run_for(10_000)
    began_us = bench.uart.now_us
    asleep = []
    for _ in range(40):
        bench.run_for(251)
        if circuit.level("awake:A") is Level.LOW:
            asleep.append("sleeps" in bench.board.position)
    insist_that("looks at a chip that is asleep", bool(asleep), why="H9: never asleep")
    insist_that("AWAKE is low while it sleeps, and only then", all(asleep), why="H9")
    ends_us = bench.uart.now_us
    edges = [
        (at_ns / 1000, level)
        for at_ns, level in circuit.edges("awake:A", since_us=began_us)
    ]
    spans = [*edges, (ends_us, Level.LOW)]
    awake_us = sum(
        after - at_us
        for (at_us, level), (after, _) in pairwise(spans)
        if level is Level.HIGH
    )
    share_pct = 100 * awake_us / (ends_us - began_us)
    insist_bound("awake, in % of 10 s", share_pct, at_most=5, why="H9")
    wakes_us = [began_us, *(at for at, level in edges if level is Level.HIGH), ends_us]
    longest_ms = max(after - at for at, after in pairwise(wakes_us)) / 1000
    insist_bound("the longest time without waking, in ms", longest_ms, at_most=600)
