"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT COMPRESSOR OFF$", within_ms=100)
    bench.expect("^ACT VENT OPEN$", within_ms=100)


def test_the_compressor_runs_when_the_pressure_is_low(bench):
    bench.wait_for_boot()
    bench.send("SENSE DOOR CLOSED")
    bench.send("SENSE PRESS 20")
    bench.expect("^ACT COMPRESSOR ON$", within_ms=200)
    bench.expect("^DBG STATE PRESSURIZING$", within_ms=10)


def test_an_open_door_makes_the_vessel_safe(bench):
    bench.wait_for_boot()
    bench.send("SENSE DOOR CLOSED")
    bench.send("SENSE PRESS 20")
    bench.expect("^ACT COMPRESSOR ON$", within_ms=200)
    bench.send("SENSE DOOR OPEN")
    bench.expect("^ACT COMPRESSOR OFF$", within_ms=200)
    bench.expect("^ACT VENT OPEN$", within_ms=10)


def test_the_vessel_fills_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(pressure_kpa=18))
    bench.run_for(400)
    assert loop.state.compressor_on
    assert 40 <= loop.state.pressure_kpa <= 60
