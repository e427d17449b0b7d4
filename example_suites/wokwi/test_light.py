"""A press switches the light: on this machine, at a server, in Wokwi's cloud."""

from pytest_embedbench import Level


def test_a_press_switches_the_light(circuit, bench):
    bench.expect("ready", within_ms=2_000)
    bench.run_for(50)
    assert circuit.level("led1:A") is Level.LOW
    circuit["btn1"].press(duration_ms=50)
    bench.expect("light on", within_ms=50)
    assert circuit.level("led1:A") is Level.HIGH


def test_a_press_that_bounces_is_one_press(circuit, bench):
    bench.expect("ready", within_ms=2_000)
    bench.run_for(50)
    for expected in ("light on", "light off", "light on"):
        circuit["btn1"].press(duration_ms=50)
        bench.expect(f"^{expected}$", within_ms=10)
        bench.run_for(50)
    bench.expect_silence(for_ms=100)


def test_a_letter_does_the_same(circuit, bench):
    bench.expect("ready", within_ms=2_000)
    bench.uart.send_bytes(b"t")
    bench.expect("light on", within_ms=50)
    circuit.wait_pin("led1:A", Level.HIGH, within_ms=5)
