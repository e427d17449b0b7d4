"""Every model keeps its promises, where the standard library alone is, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.testing import check_part

ROOT = Path(__file__).parents[2]
VARIANTS: dict[str, list[dict[str, str]]] = {
    "wokwi-7segment": [{"digits": "4"}, {"digits": "2", "common": "cathode"}],
    "wokwi-lcd1602": [{"pins": "i2c"}],
    "wokwi-lcd2004": [{"pins": "i2c"}],
    "wokwi-max7219-matrix": [{"chain": "4", "layout": "fc16"}],
    "wokwi-rgb-led": [{"common": "cathode"}],
    "wokwi-hx711": [{"type": "5kg", "weight": "2"}],
    "wokwi-ks2e-m-dc5": [{"bounce": "0"}],
    "wokwi-led-matrix": [{"rows": "2", "cols": "3", "layout": "serpentine"}],
    "wokwi-pir-motion-sensor": [{"retrigger": "0", "delayTime": "0.01"}],
    "wokwi-relay-module": [{"transistor": "pnp"}],
    "wokwi-stepper-motor": [{"gearRatio": "2:1"}],
    "wokwi-pushbutton": [{"bounce": "0"}],
    "wokwi-slide-switch": [{"bounce": "0", "value": "1"}],
}


@pytest.mark.parametrize(
    ("name", "attrs"),
    [(name, attrs) for name in MODELS for attrs in [{}, *VARIANTS.get(name, [])]],
)
def test_a_model_keeps_its_promises(name: str, attrs: dict[str, str]) -> None:
    check_part(CATALOGUE.types[name], MODELS[name], attrs)


def test_models_run_where_there_is_the_standard_library_alone() -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r});"
        "import pytest_embedbench.parts.models, pytest_embedbench.wiring.placed_part;"
        "rooms = {name.partition('.')[0] for name in sys.modules} - {'__main__'};"
        "print(*rooms - sys.stdlib_module_names)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "pytest_embedbench"
