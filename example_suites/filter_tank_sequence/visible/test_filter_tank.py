"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT FILTER OFF$", within_ms=100)
    bench.expect("^ACT DRAIN CLOSED$", within_ms=100)


def test_the_filter_runs_when_the_liquid_is_cloudy(bench):
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 72")
    bench.send("SENSE TURB 80")
    bench.expect("^ACT FILTER ON$", within_ms=200)
    bench.expect("^DBG STATE FILTERING$", within_ms=10)


def test_the_drain_opens_once_the_liquid_has_settled(bench):
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 72")
    for turbidity in (80, 34, 28, 20):
        bench.send(f"SENSE TURB {turbidity}")
    bench.expect("^DBG STATE SETTLING$", within_ms=200)
    bench.expect("^ACT DRAIN OPEN$", within_ms=500)


def test_the_tank_is_cleared_and_drained_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(turbidity_ntu=82, level=72))
    bench.run_for(2_000)
    assert loop.state.level < 15
    assert not loop.state.drain_open
