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
    pins=(PartPin("ON", PinRole.INPUT),),
    attrs={"where": PartAttribute(default="")},
    controls={"x": PartControl(0, 1, named_by=NamedBy.US)},
    observables={"shine": "nothing"},
)


class Bad:
    def __init__(self, wires, attrs):
        self.where = attrs["where"]
        self.fail("made")
        wires.on_level("ON", lambda at_ticks, level: self.fail("level"))
        wires.at(wires.ticks_per_us * 15_000, lambda at_ticks: self.fail("due"))

    def control(self, at_ticks, name, value):
        self.fail("control")

    def observe(self, at_ticks, name):
        self.fail("observe")
        return 1

    def fail(self, here):
        if self.where == here:
            raise KeyError(here)


PART = Part(kind=KIND, make=Bad)
"""


@pytest.mark.parametrize("where", ["made", "level", "due", "control", "observe"])
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
    told = f"uno: part bad1 (acme-bad): its model raised KeyError: '{where}' (from "

    def go() -> None:
        attrs = {"bad1": {"where": where}}
        parts = {"bad1": "acme-bad"}
        bench, circuit = wired("t", parts, "uno:13 - bad1:ON", attrs=attrs)
        bench.run_for(40)
        circuit["bad1"].set(x=1)
        assert circuit["bad1"].shine == 1

    with pytest.raises(BoardLost, match=f"^{re.escape(told)}.*acme_bad.py:") as caught:
        go()
    assert "Traceback" not in str(caught.value)
