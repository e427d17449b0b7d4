"""Parts of other packages whose models raise something: named, wherever it happens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from tests.e2e.circuit_bench import Wired

PART = """
from pytest_embedbench.wiring import (
    NamedBy, Part, PartAttribute, PartControl, PartPin, PartType, PinRole
)

KIND = PartType(
    name="acme-bad",
    title="Raises something",
    pins=(
        PartPin("ON", PinRole.INPUT),
        PartPin("SDA", PinRole.OPEN_DRAIN),
        PartPin("SCL", PinRole.OPEN_DRAIN),
    ),
    attrs={"where": PartAttribute(default="")},
    controls={"x": PartControl(0, 1, named_by=NamedBy.US)},
    observables={"shine": "nothing"},
)


class Device:
    def __init__(self, part):
        self.part = part

    def begin(self, at_ticks, *, reads):
        self.part.fail("device")
        return True

    def write(self, at_ticks, byte):
        return True

    def read(self, at_ticks):
        return 0

    def end(self, at_ticks):
        pass


class Bad:
    def __init__(self, wires, attrs):
        self.where = attrs["where"]
        self.fail("made")
        wires.on_level("ON", lambda at_ticks, level: self.fail("level"))
        wires.on_i2c("SDA", "SCL", 0x68, Device(self))
        wires.at(wires.ticks_per_us * 15_000, lambda at_ticks: self.fail("due"))

    def control(self, at_ticks, name, value):
        self.fail("control")

    def observe(self, at_ticks, name):
        self.fail("observe")
        return 1 if self.where != "shown" else [1, {}]

    def fail(self, here):
        if self.where == here:
            raise KeyError(here)


PART = Part(kind=KIND, make=Bad)
"""


@pytest.mark.parametrize(
    "where", ["made", "level", "due", "control", "observe", "device", "shown"]
)
def test_a_part_that_raises_is_named(
    wired: Wired,
    where: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = tmp_path_factory.mktemp("site")
    info = site / "acme_bad-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-bad\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[embedbench.parts]\nacme-bad = acme_bad:PART\n"
    )
    (site / "acme_bad.py").write_text(PART)
    monkeypatch.syspath_prepend(site)
    no_reading = "TypeError: shine is [1, {}], which is no Reading"
    what = no_reading if where == "shown" else f"KeyError: '{where}'"
    told = f"uno: part bad1 (acme-bad): its model raised {what} (from "

    def go() -> None:
        mode = "o" if where == "device" else "t"
        attrs = {"bad1": {"where": where}}
        parts = {"bad1": "acme-bad"}
        wires = ["uno:13 - bad1:ON", "uno:A4 - bad1:SDA", "uno:A5 - bad1:SCL"]
        bench, circuit = wired(mode, parts, *wires, attrs=attrs)
        bench.run_for(40)
        circuit["bad1"].set(x=1)
        assert circuit["bad1"].shine == 1

    with pytest.raises(
        BoardLost, match=f"^{re.escape(told)}.*(acme_bad|placed_part).py:"
    ) as caught:
        go()
    assert "Traceback" not in str(caught.value)
