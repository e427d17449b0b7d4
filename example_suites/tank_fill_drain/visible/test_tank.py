"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT PUMP OFF$", within_ms=100)


def test_the_pump_runs_when_the_level_is_low(bench):
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 20")
    bench.expect("^ACT PUMP ON$", within_ms=200)


def test_the_pump_stops_when_the_level_is_high(bench):
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 20")
    bench.expect("^ACT PUMP ON$", within_ms=200)
    bench.send("SENSE LEVEL 85")
    bench.expect("^ACT PUMP OFF$", within_ms=200)


def test_the_tank_fills_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant("tank_fill_drain", level=20))
    bench.run_for(1_000)
    assert loop.state.pump_on
    assert loop.state.level > 60
