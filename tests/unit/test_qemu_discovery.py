"""Finding a QEMU: in the promised order, by its own account, never by download."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_embedbench.engines.qemu import esp32, esp32c3, esp32s3
from pytest_embedbench.engines.qemu.discovery import find_qemu
from pytest_embedbench.errors import ConfigError
from tests.e2e.fake_qemu import fake_qemu

XTENSA = "qemu-system-xtensa"
ESPRESSIFS = "esp32                Espressif ESP32 machine"
MAINLINES = "kc705                kc705 EVB (dc232b)"
PICSIMLABS = "esp32-picsimlab      Espressif ESP32 machine (picsimlab)"


def install(folder: Path, machines: str = ESPRESSIFS, version: str = "9.2.2") -> Path:
    return fake_qemu(folder, "", name=XTENSA, machines=machines, version=version)


def found(**environ: Path | str) -> Path | None:
    variables = {name: str(value) for name, value in environ.items()}
    qemu = find_qemu(XTENSA, "esp32", environ={"HOME": "/nowhere", **variables})
    return qemu.path if qemu else None


def test_folders_and_programs_that_variables_name_come_first(tmp_path: Path) -> None:
    one, two, three = (install(tmp_path / name) for name in ("one", "two", "three"))
    assert found(PATH=one.parent) == one
    assert found(PATH=one.parent, QEMU_BIN_PATH=two.parent) == two
    assert found(QEMU_BIN_PATH=two.parent, ESPRESSIF_QEMU_PATH=three) == three


def test_where_esp_idf_installs_its_tools_is_looked_at_newest_first(
    tmp_path: Path,
) -> None:
    tools = tmp_path / "tools" / "qemu-xtensa"
    versions = ("esp_develop_9.2.2_20250817", "esp_develop_9.2.10_20240101")
    old, new = (install(tools / version / "qemu" / "bin") for version in versions)
    assert found(PATH="", IDF_TOOLS_PATH=tmp_path) == new
    new.unlink()
    assert found(PATH="", IDF_TOOLS_PATH=tmp_path) == old


@pytest.mark.parametrize("machines", [MAINLINES, PICSIMLABS])
def test_a_qemu_without_the_machine_is_passed_over(
    tmp_path: Path, machines: str
) -> None:
    other = install(tmp_path / "other", machines=machines)
    right = install(tmp_path / "right")
    assert found(PATH=other.parent) is None
    assert found(PATH=right.parent, ESPRESSIF_QEMU_PATH=other.parent) == right


def test_what_is_no_qemu_is_passed_over(tmp_path: Path) -> None:
    wrong = install(tmp_path / "wrong")
    wrong.write_text("#!/bin/sh\necho hello\n")
    assert found(PATH=wrong.parent) is None
    assert found(PATH=tmp_path / "nothing") is None


def test_a_chosen_one_is_taken_or_refused_by_name(tmp_path: Path) -> None:
    right = install(tmp_path / "right")
    wrong = install(tmp_path / "wrong", machines=MAINLINES)
    for chosen in (right, right.parent):
        qemu = find_qemu(XTENSA, "esp32", str(chosen), environ={})
        assert qemu is not None
        assert (qemu.path, qemu.version) == (right, "9.2.2")
    with pytest.raises(ConfigError, match="no qemu-system-xtensa that knows machine"):
        find_qemu(XTENSA, "esp32", str(wrong), environ={"PATH": str(right.parent)})


def test_the_advice_is_one_command_and_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ESPRESSIF_QEMU_PATH", "QEMU_BIN_PATH", "PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("IDF_TOOLS_PATH", str(tmp_path))
    for engine, package in (
        (esp32(), "xtensa"),
        (esp32c3(), "riscv32"),
        (esp32s3(), "xtensa"),
    ):
        missing = engine.missing()
        assert missing is not None
        assert f"idf_tools.py install qemu-{package}" in str(missing)
        assert "ESPRESSIF_QEMU_PATH" in str(missing)
        assert engine.version() == "no QEMU found"


def test_what_was_found_and_will_not_do_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = install(tmp_path, machines=MAINLINES, version="7.2.22 (Debian)")
    monkeypatch.setenv("ESPRESSIF_QEMU_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    missing = esp32().missing()
    assert missing is not None
    assert f"{other} (7.2.22 (Debian)) has no such machine" in str(missing)


def test_one_that_cannot_start_is_told_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "error while loading shared libraries: libslirp.so.0: cannot open it"
    program = install(tmp_path)
    program.write_text(f"#!/bin/sh\necho {program}: {words} >&2\nexit 127\n")
    monkeypatch.setenv("ESPRESSIF_QEMU_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    missing = esp32().missing()
    assert missing is not None
    assert f"{program} cannot start (exit code 127): {program}: {words}" in str(missing)
    with pytest.raises(ConfigError, match="libslirp"):
        find_qemu(XTENSA, "esp32", str(program))


def test_the_engines_can_be_asked_on_systems_that_they_do_not_run_on() -> None:
    # E17
    script = (
        "import sys; sys.modules['fcntl'] = sys.modules['resource'] = None\n"
        "from pytest_embedbench.engines.qemu import QemuArm, esp32\n"
        "import os; os.name = 'nt'\n"
        "assert QemuArm().missing() and esp32().missing()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
