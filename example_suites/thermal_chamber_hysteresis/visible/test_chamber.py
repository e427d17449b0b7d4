"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT HEATER OFF$", within_ms=100)


def test_the_heater_runs_when_it_is_cold(bench):
    bench.wait_for_boot()
    bench.send("SENSE TEMP 35")
    bench.expect("^ACT HEATER ON$", within_ms=200)
    bench.expect("^DBG STATE HEATING$", within_ms=10)


def test_the_heater_stops_early(bench):
    bench.wait_for_boot()
    bench.send("SENSE TEMP 35")
    bench.expect("^ACT HEATER ON$", within_ms=200)
    bench.send("SENSE TEMP 50")
    bench.expect("^ACT HEATER OFF$", within_ms=200)


def test_the_chamber_warms_up_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(temperature_c=28))
    bench.run_for(1_000)
    assert 47 <= loop.state.temperature_c <= 52
