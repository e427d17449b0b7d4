"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT INLET CLOSED$", within_ms=100)
    bench.expect("^ACT HEATER OFF$", within_ms=100)


def test_the_inlet_opens_when_the_level_is_low(bench):
    bench.wait_for_boot()
    bench.send("SENSE TEMP 30")
    bench.send("SENSE LEVEL 40")
    bench.expect("^ACT INLET OPEN$", within_ms=200)
    bench.expect("^DBG STATE FILLING$", within_ms=10)


def test_the_heater_stops_early(bench):
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 65")
    bench.send("SENSE TEMP 30")
    bench.expect("^ACT HEATER ON$", within_ms=200)
    bench.send("SENSE TEMP 47")
    bench.expect("^ACT HEATER OFF$", within_ms=200)


def test_the_tank_is_filled_and_heated_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(temp_c=25, level=35))
    bench.run_for(1_200)
    assert loop.state.level >= 55
    assert 45 <= loop.state.temp_c <= 48
