"""The clock goes over midnight, and the key switches the light."""

import pytest


@pytest.mark.esr(module="DS1307")
def test_it_shows_the_time(circuit, bench):
    bench.run_for(300)
    assert circuit["lcd"].text[0].rstrip() == "23:59:58"
    assert circuit["lcd"].backlight
    circuit["light"].press(duration_ms=60)
    assert not circuit["lcd"].backlight
    bench.run_for(2_000)
    assert circuit["lcd"].text[0].rstrip() == "00:00:00"
    assert not circuit["lcd"].backlight
    circuit["light"].press(duration_ms=60)
    bench.run_for(30)
    assert circuit["lcd"].backlight
