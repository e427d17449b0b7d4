"""What comes out, what is said of it, and what if nothing or too much does."""

import pytest

from pytest_embedbench import ActsBy, Coupling, Level, PlantPins, SensedBy
from pytest_embedbench.grading.checks import insist_bound, insist_that

PINS = Coupling(
    pins=PlantPins(
        senses=(
            SensedBy(line="SENSE FLOW", part="flow1", control="flow", scale=0.001),
        ),
        acts=(ActsBy(line="ACT PUMP", part="fet1", observable="on_share", scale=100),),
    )
)
TOLERANCE_ML = 20
SAID_ML = 5
"""How well the pulses tell what has flown, of one dose."""
LONGEST_MS = 15_000
"""5 l at full flow, and time to spare."""
WRONG_LINES = (
    *("DOSE 99", "DOSE 5001", "DOSE 4294967496", "DOSE -200", "DOSE 200x"),
    *("DOSE", "dose 200", "?"),
)


@pytest.fixture
def loop(bench, circuit, plant):
    """Tank, pump and stream, round a firmware that is ready."""
    del circuit
    made = bench.connect(plant(), coupling=PINS)
    bench.wait_for_boot()
    return made


def ask(bench, line, answer):
    bench.send(line)
    return bench.expect(f"^{answer}$", within_ms=150)


def delivered_ml(loop):
    return loop.state.delivered_ul / 1000


def insist_dosed(loop, before_ml, asked_ml, said_ml):
    """D2 and D3."""
    dosed_ml = delivered_ml(loop) - before_ml
    lowest, highest = asked_ml - TOLERANCE_ML, asked_ml + TOLERANCE_ML
    insist_bound("ml dosed", dosed_ml, at_least=lowest, why=f"D2: asked for {asked_ml}")
    insist_bound("ml dosed", dosed_ml, at_most=highest, why=f"D2: asked for {asked_ml}")
    error_ml = abs(said_ml - dosed_ml)
    insist_bound(
        "ml said wrong", error_ml, at_most=SAID_ML, why=f"D3: it said {said_ml}"
    )


def dose(bench, loop, asked_ml):
    before_ml = delivered_ml(loop)
    ask(bench, f"DOSE {asked_ml}", f"OK {asked_ml}")
    done = bench.expect(r"^DONE (\d+)$", within_ms=LONGEST_MS)
    insist_that("flow at DONE", loop.state.flow_ml_min, due=0, why="D3: it still flows")
    insist_dosed(loop, before_ml, asked_ml, int(done[1]))


@pytest.mark.brief("D1", "D2", "D3", "D5")
def test_what_is_asked_for_comes_out(bench, loop):
    doses_ml = (100, 137, 250, 1500)
    for asked_ml in doses_ml:
        dose(bench, loop, asked_ml)
        after_ml = delivered_ml(loop)
        bench.run_for(200)
        insist_that("ml after DONE", delivered_ml(loop) - after_ml, due=0, why="D3")
    total_ml = int(ask(bench, "TOTAL", r"TOTAL (\d+)")[1])
    error_ml = abs(total_ml - delivered_ml(loop))
    insist_bound("ml said wrong", error_ml, at_most=len(doses_ml) * SAID_ML, why="D5")


@pytest.mark.brief("D2", "D5", "D6")
def test_no_pulse_is_lost_while_it_talks(bench, circuit, loop):
    """At 225 Hz, with the button held and the total asked for again and again."""
    ask(bench, "DOSE 2000", "OK 2000")
    circuit["show"].hold()
    for _ in range(8):
        bench.send("TOTAL")
        bench.run_for(250)
    insist_bound("ml/min", loop.state.flow_ml_min, at_least=29_000, at_ms=loop.plant_ms)
    flows = [int(it.removeprefix("FLOW ")) for it in bench.uart.heard() if "FLOW" in it]
    insist_bound("FLOW lines in 2 s", len(flows), at_least=18, why="D6: every 100 ms")
    insist_bound("the last FLOW", flows[-1], at_least=27_000, why="D6: to 10 %")
    insist_bound("the last FLOW", flows[-1], at_most=33_000, why="D6: to 10 %")
    done = bench.expect(r"^DONE (\d+)$", within_ms=LONGEST_MS)
    circuit["show"].release()
    bench.run_for(500)
    insist_dosed(loop, 0, 2000, int(done[1]))
    total_ml = int(ask(bench, "TOTAL", r"TOTAL (\d+)")[1])
    pulses_ml = circuit["flow1"].pulses / 0.45
    insist_bound(
        "ml of pulses lost", abs(total_ml - pulses_ml), at_most=5, why="D5, D6"
    )
    mark = bench.uart.mark()
    bench.run_for(500)
    insist_that("said after the button", bench.uart.heard(mark), due=[], why="D6")


@pytest.mark.brief("D4")
def test_what_cannot_be_dosed_is_an_error(bench, loop):
    for line in WRONG_LINES:
        ask(bench, line, "ERR")
        bench.run_for(100)
        insist_that(f"ml after {line!r}", delivered_ml(loop), due=0, why="D4")


@pytest.mark.brief("D4")
def test_a_second_dose_has_to_wait(bench, loop):
    ask(bench, "DOSE 500", "OK 500")
    ask(bench, "DOSE 900", "BUSY")
    bench.expect(r"^DONE \d+$", within_ms=LONGEST_MS)
    insist_bound("ml dosed", delivered_ml(loop), at_most=520, why="D4: asked for 500")
    dose(bench, loop, 200)


@pytest.mark.brief("D7")
@pytest.mark.parametrize("left_ml", [0, 600])
def test_an_empty_tank_stops_the_pump(bench, circuit, loop, left_ml):
    loop.change(tank_ul=left_ml * 1000)
    ask(bench, "DOSE 2000", "OK 2000")
    said = bench.expect(r"^EMPTY (\d+)$", within_ms=4_000, forbid="^DONE")
    insist_bound("ml said", int(said[1]), at_least=left_ml - 5, at_ms=loop.plant_ms)
    insist_bound("ml said", int(said[1]), at_most=left_ml + 5, at_ms=loop.plant_ms)
    off_us = circuit.edges("fet1:G")[-1].at_ns // 1000
    on_us = circuit.edges("fet1:G")[-2].at_ns // 1000
    flown = [at_ns // 1000 for at_ns, _ in circuit.edges("flow1:OUT", since_us=on_us)]
    last_us = max([on_us, *flown])
    insist_bound("us without pulses", off_us - last_us, at_most=605_000, why="D7")
    insist_bound("us without pulses", off_us - last_us, at_least=495_000, why="D7")
    loop.change(tank_ul=5_000_000)
    bench.run_for(100)
    dose(bench, loop, 300)


@pytest.mark.brief("D8")
def test_a_valve_that_is_stuck_is_told_of(bench, circuit, loop):
    dose(bench, loop, 300)
    bench.run_for(2_500)
    mark = bench.uart.mark()
    loop.change(valve_stuck=True)
    bench.expect("^LEAK$", within_ms=2_000)
    ask(bench, "DOSE 300", "ERR")
    bench.run_for(2_000)
    insist_that("LEAK is said", bench.uart.heard(mark).count("LEAK"), due=1, why="D8")
    insist_that("the gate", circuit.level("fet1:G"), due=Level.LOW, why="D8")
    loop.change(valve_stuck=False)
    bench.run_for(2_500)
    dose(bench, loop, 300)
    insist_that("LEAK is said", bench.uart.heard(mark).count("LEAK"), due=1, why="D8")


@pytest.mark.brief("D9", "D1")
@pytest.mark.parametrize("lost", ["reset", "power_cycle"])
def test_a_start_in_the_middle_of_a_dose_ends_it(bench, circuit, loop, lost):
    ask(bench, "DOSE 5000", "OK 5000")
    bench.run_for(1_000)
    began_us = bench.uart.now_us
    getattr(bench, lost)()
    bench.wait_for_boot()
    bench.run_for(3_000)
    on = [
        at_ns
        for at_ns, level in circuit.edges("fet1:G", since_us=began_us + 1)
        if level is Level.HIGH
    ]
    insist_that("when the pump was on", on, due=[], why="D9")
    insist_that("flow", loop.state.flow_ml_min, due=0, at_ms=loop.plant_ms)
    dose(bench, loop, 200)
