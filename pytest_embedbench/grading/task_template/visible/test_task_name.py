"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT ACTUATOR_NAME OFF$", within_ms=100)


def test_the_actuator_name_is_on_when_the_sensor_name_is_low(bench):
    bench.wait_for_boot()
    bench.send("SENSE SENSOR_NAME 20")
    bench.expect("^ACT ACTUATOR_NAME ON$", within_ms=200)


def test_the_sensor_name_rises_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(sensor_name=20))
    bench.run_for(500)
    assert loop.state.sensor_name > 40
