"""The documentation's tables of options say what the engines read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_embedbench.engines.linux.options import LinuxOptions
from pytest_embedbench.engines.native.options import NativeOptions
from pytest_embedbench.engines.qemu.options import EspOptions, QemuOptions
from pytest_embedbench.engines.simavr.options import SimavrOptions
from pytest_embedbench.engines.wokwi.options import WokwiOptions
from pytest_embedbench.lab.inventory.board_options import LabOptions, SerialOptions
from pytest_embedbench.support.options import LAB_TABLES, OptionField, option_fields

DOCS = Path(__file__).parents[2] / "docs"
TABLE_ROW = re.compile(rf"^\| `({'|'.join(LAB_TABLES)})` \|(.*)\|$", re.MULTILINE)


def own(kind: type, base: type = object) -> dict[str, OptionField]:
    """Return what a dataclass adds to the one that it inherits from."""
    inherited = {} if base is object else option_fields(base)
    return {key: f for key, f in option_fields(kind).items() if key not in inherited}


def keys_of_tables(page: str) -> dict[str, set[str]]:
    """Return the keys that the page lists for each table of a lab file."""
    return {
        table: {f"{table}_{key}" for key in re.findall(r"`(\w+)`", listed)}
        for table, listed in TABLE_ROW.findall(page)
    }


@pytest.mark.parametrize(
    ("page", "kind", "base"),
    [
        ("bench.md", NativeOptions, object),
        ("bench.md", SimavrOptions, object),
        ("qemu.md", QemuOptions, object),
        ("wokwi.md", WokwiOptions, object),
        ("qemu.md", EspOptions, QemuOptions),
        ("labs.md", SerialOptions, LabOptions),
        ("labs.md", LinuxOptions, LabOptions),
    ],
)
def test_every_option_is_documented_as_it_is_read(
    page: str, kind: type, base: type
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    tables = keys_of_tables(text)
    missing = [
        about.markdown()
        for key, about in own(kind, base).items()
        if about.markdown() not in text
        and key not in tables.get(key.partition("_")[0], ())
    ]
    assert not missing, f"not in docs/{page}"


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ("bench.md", (NativeOptions, SimavrOptions)),
        ("qemu.md", (EspOptions,)),
        ("labs.md", (SerialOptions,)),
    ],
)
def test_no_option_is_documented_that_nobody_reads(
    page: str, kinds: tuple[type, ...]
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    known = {key for kind in kinds for key in option_fields(kind)}
    heads = re.findall(r"^\| option \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    listed = [row.split("`")[1] for head in heads for row in head.splitlines()]
    assert listed, "there is a table of options"
    assert set(listed) <= known


@pytest.mark.parametrize("kind", [SerialOptions, LinuxOptions, EspOptions])
def test_every_option_has_a_help(kind: type) -> None:
    assert [key for key, about in option_fields(kind).items() if not about.help] == []
