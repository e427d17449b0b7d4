"""What docs/extending.md shows is the code of a package that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "thirdparty_package"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = [
    (name, code) for name, code in BLOCK.findall(PAGE) if not name.startswith("my_")
]


@pytest.mark.parametrize(
    ("name", "code"), SHOWN, ids=[f"{i} {name}" for i, (name, _) in enumerate(SHOWN)]
)
def test_code_is_shown_as_it_is(name: str, code: str) -> None:
    assert code in (PACKAGE / name).read_text(encoding="utf-8")


def test_something_of_each_kind_is_shown() -> None:
    assert {name for name, _ in SHOWN} == {
        "pyproject.toml",
        "acme_bench/builder.py",
        "acme_bench/commands.py",
        "acme_bench/engine.py",
        "acme_bench/instruments.py",
        "acme_bench/lamp.py",
        "acme_bench/plant.py",
        "acme_bench/product.py",
        "suite/test_promises.py",
    }


def test_no_python_is_shown_that_is_nowhere() -> None:
    assert PAGE.count("```python\n") == sum(name.endswith(".py") for name, _ in SHOWN)
