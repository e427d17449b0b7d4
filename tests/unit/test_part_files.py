"""Parts that other packages bring: found by entry point, loaded by file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.errors import ConfigError, ContractViolation, UnknownName
from pytest_embedbench.installed_parts import installed_catalogue, installed_parts
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.parts.part_files import PartFile, all_parts, load_part
from pytest_embedbench.testing import check_installed_part

ROOT = Path(__file__).parents[2]
LAMP = ROOT / "tests" / "thirdparty_package" / "acme_bench" / "lamp.py"
STAIR = PartFile("acme-stair-lamp", str(LAMP), "PART")
DIAGRAM = {
    "version": 1,
    "parts": [
        {"id": "uno", "type": "wokwi-arduino-uno"},
        {"id": "lamp", "type": "acme-stair-lamp", "attrs": {"seconds": "1"}},
    ],
    "connections": [
        ["uno:5", "lamp:ON", "", []],
        ["uno:5V", "lamp:VCC", "", []],
        ["uno:GND.1", "lamp:GND", "", []],
    ],
}


class Site:
    """A folder of installed packages, at the end of the path of modules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, module: str, text: str, *entries: str) -> None:
        """Install a package of one module, and its entry points."""
        (self.folder / f"{module}.py").write_text(text, "utf-8")
        about = self.folder / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Name: {module}\nVersion: 1.0\n")
        lines = "\n".join(entries)
        (about / "entry_points.txt").write_text(f"[embedbench.parts]\n{lines}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return Site(folder)


def test_an_installed_part_is_one_of_them(site: Site) -> None:
    site.install("acme_lamp", LAMP.read_text(), "acme-stair-lamp = acme_lamp:PART")
    (file,) = [it for it in installed_parts() if it.type_name == "acme-stair-lamp"]
    assert file[1:] == (str(site.folder / "acme_lamp.py"), "PART")
    known = all_parts([file])
    assert known.catalogue.types.keys() - CATALOGUE.types.keys() == {file.type_name}
    assert known.models.keys() - MODELS.keys() == {file.type_name}
    assert installed_catalogue().types.keys() >= known.catalogue.types.keys()
    assert "acme_lamp" not in sys.modules


@pytest.fixture
def diagram(tmp_path: Path) -> Path:
    file = tmp_path / "diagram.json"
    file.write_text(json.dumps(DIAGRAM, indent=1))
    return file


def test_a_diagram_may_not_have_what_is_not_installed(
    diagram: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diagram", "check", str(diagram)]) == 1
    assert "acme-stair-lamp" in capsys.readouterr().out


def test_a_diagram_may_have_it(
    site: Site, diagram: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.install("acme_lamp", LAMP.read_text(), "acme-stair-lamp = acme_lamp:PART")
    assert main(["diagram", "check", str(diagram)]) == 0, capsys.readouterr().out
    picture = diagram.with_suffix(".svg")
    assert main(["diagram", "draw", str(diagram), str(picture)]) == 0
    assert "lamp" in picture.read_text()


def test_it_loads_where_nothing_is_installed() -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r});"
        "from pytest_embedbench.parts.part_files import PartFile, all_parts;"
        f"parts = all_parts([PartFile(*{tuple(STAIR)!r})]);"
        "print(parts.models['acme-stair-lamp'].__name__)"
    )
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "StairLamp\n"


def test_a_type_that_is_there_already_is_refused(tmp_path: Path) -> None:
    for name in ("wokwi-led", "board-pi-pico"):
        file = tmp_path / "other.py"
        file.write_text(LAMP.read_text().replace("acme-stair-lamp", name))
        with pytest.raises(ConfigError, match=f"{name} is there already"):
            all_parts([PartFile(name, str(file), "PART")])
    with pytest.raises(ConfigError, match="acme-stair-lamp is there already"):
        all_parts([STAIR, STAIR])


def test_what_hides_behind_a_tests_own_words_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.py"
    file.write_text(LAMP.read_text().replace('"is_lit"', '"set"'))
    with pytest.raises(ConfigError, match="by the name of set; rename"):
        all_parts([PartFile("acme-stair-lamp", str(file), "PART")])


def test_two_packages_with_the_same_type_are_named(site: Site) -> None:
    entry = "acme-stair-lamp = {}:PART"
    for name in ("one_lamp", "other_lamp"):
        site.install(name, LAMP.read_text(), entry.format(name))
    with pytest.raises(ConfigError, match="twice: one_lamp:PART and other_lamp:PART"):
        installed_parts()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere"),
        ("PART = 1", "PART is no Part, but 1"),
        ("", "PART is no Part, but None"),
        ("raise OSError('no')", "cannot be loaded by itself: OSError: no"),
    ],
)
def test_a_file_without_its_part_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told) as caught:
        load_part(PartFile("acme-x", str(file), "PART"))
    assert str(caught.value).startswith(str(file))


def test_a_name_that_is_not_the_types_is_refused() -> None:
    told = "acme-stair-lamp is registered as acme-lamp"
    with pytest.raises(ConfigError, match=told):
        load_part(STAIR._replace(type_name="acme-lamp"))


@pytest.mark.parametrize("value", ["acme_lamp", "acme_nowhere:PART", "json:loads"])
def test_an_entry_that_leads_to_no_file_is_named(site: Site, value: str) -> None:
    site.install("acme_lamp", LAMP.read_text(), f"acme-stair-lamp = {value}")
    if value == "json:loads":  # a file, and no Part
        with pytest.raises(ConfigError, match="loads is no Part"):
            installed_catalogue()
    else:
        with pytest.raises(ConfigError, match=f"acme-stair-lamp cannot be '{value}'"):
            installed_parts()


def test_the_kit_finds_a_file_that_does_not_stand_alone(site: Site) -> None:
    text = LAMP.read_text().replace("PART =", "import acme_helper\n\nPART =")
    site.install("acme_lamp", text, "acme-stair-lamp = acme_lamp:PART")
    (site.folder / "acme_helper.py").write_text("")
    with pytest.raises(ContractViolation, match=r"does not stand alone: .*acme_helper"):
        check_installed_part("acme-stair-lamp")
    with pytest.raises(UnknownName, match="acme-lamp"):
        check_installed_part("acme-lamp")
