"""Addresses get the names of the functions that they lie in."""

from __future__ import annotations

from pathlib import Path

from pytest_embedbench.support.symbols import Symbol, Symbols, load_symbols

SYMBOLS = Symbols((Symbol(0x100, 0x20, "first"), Symbol(0x140, 0x10, "second")))


def test_an_address_inside_a_function_has_its_name_and_offset() -> None:
    assert SYMBOLS.describe(0x100) == "first+0x0"
    assert SYMBOLS.describe(0x11F) == "first+0x1f"
    assert SYMBOLS.describe(0x144) == "second+0x4"


def test_an_address_between_functions_stays_a_number() -> None:
    for address in (0xFF, 0x120, 0x150):
        assert SYMBOLS.at(address) is None
    assert SYMBOLS.describe(0x120) == "0x120"


def test_what_is_no_elf_file_has_no_functions(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    assert load_symbols(file) == Symbols()
    assert load_symbols(tmp_path / "missing") == Symbols()
