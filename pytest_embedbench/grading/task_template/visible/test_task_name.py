"""What you start from: run it, read it, add to it.

pytest --board=native visible/
"""


def test_the_firmware_boots_safe(bench):
    bench.wait_for_boot()
    bench.expect("^ACT LAMP OFF$", within_ms=100)


def test_the_lamp_is_on_in_the_dark(bench):
    bench.wait_for_boot()
    bench.send("SENSE LIGHT 20")
    bench.expect("^ACT LAMP ON$", within_ms=200)


def test_the_room_gets_bright_in_closed_loop(bench, plant):
    bench.wait_for_boot()
    loop = bench.connect(plant(light_pct=20))
    bench.run_for(500)
    assert loop.state.light_pct > 40
