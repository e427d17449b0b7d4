"""Which libraries of a folder serve what ``lib_deps`` asks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio.libraries import (
    FoundLibrary,
    find_libraries,
    installed_note,
    resolve,
)
from pytest_embedbench.builders.platformio.seeding import seed_libraries
from pytest_embedbench.builders.platformio.wanted_libraries import (
    WantedLibrary,
    parse_wanted,
)

if TYPE_CHECKING:
    from pathlib import Path


def library(folder: Path, **about: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "library.json").write_text(json.dumps(about))
    return folder


@pytest.mark.parametrize(
    ("text", "name", "owner", "version", "uri"),
    [
        ("Servo", "Servo", "", "", ""),
        ("Servo @ ^1.2.1", "Servo", "", "^1.2.1", ""),
        ("arduino-libraries/Servo@1.2", "Servo", "arduino-libraries", "1.2", ""),
        (
            "https://github.com/a/DHT.git#v2",
            "DHT", "", "", "git+https://github.com/a/DHT.git#v2",
        ),
        ("https://github.com/a/DHT", "DHT", "", "", "git+https://github.com/a/DHT"),
        ("https://a.org/x.zip", "x", "", "", "https://a.org/x.zip"),
        ("Mine=https://a.org/x.zip", "Mine", "", "", "https://a.org/x.zip"),
        ("symlink:///libs/One", "One", "", "", "symlink:///libs/One"),
    ],
)  # fmt: skip
def test_entries_are_read_as_platformio_reads_them(
    text: str, name: str, owner: str, version: str, uri: str
) -> None:
    assert parse_wanted(text) == WantedLibrary(text, name, owner, version, uri)


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/a/My-Lib/archive/refs/heads/main.zip",
        "https://github.com/a/My-Lib/archive/v1.2.tar.gz",
        "https://gitlab.com/a/My-Lib/-/archive/main/x.zip",
        "https://github.com/a/My-Lib.git#v2",
    ],
)
def test_an_archive_of_a_repository_has_the_repositorys_name(text: str) -> None:
    assert "mylib" in parse_wanted(text).keys()  # noqa: SIM118  # no mapping


def test_a_library_is_known_by_its_name_or_its_folders(tmp_path: Path) -> None:
    library(tmp_path / "x", name="Adafruit NeoPixel", version="1.12.0")
    (tmp_path / "Keypad-3.1.1").mkdir()
    properties = tmp_path / "DHT" / "library.properties"
    properties.parent.mkdir()
    properties.write_text("name=DHT sensor library\nversion=1.4.6\n")
    found = find_libraries([tmp_path])
    for text in ("adafruit/Adafruit NeoPixel", "Keypad", "DHT sensor library"):
        assert not resolve([parse_wanted(text)], found).unresolved, text


def test_the_newest_of_the_versions_that_are_asked_for_is_taken(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0", "2.0.0"):
        library(tmp_path / f"A-{version}", name="A", version=version)
    found = find_libraries([tmp_path])
    one = parse_wanted("A@^1.0")
    assert resolve([one], found).chosen[one].version == "1.10.0"
    other = parse_wanted("A@^3")
    assert resolve([other], found).unresolved == {
        other: "A@^3 (there is 1.10.0, 1.9.0, 2.0.0)"
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{nonsense", "Expecting property name"),
        ("[1, 2]", "'list' object has no attribute 'get'"),
        ('{"dependencies": "B"}', "dependencies is text"),
        ('{"dependencies": [3]}', "dependencies has 3"),
        ('{"dependencies": 7}', "not iterable"),
    ],
)
def test_a_damaged_library_is_told_if_it_is_wanted_and_no_other_suffers(
    tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "A").mkdir()
    (tmp_path / "A" / "library.json").write_text(text)
    library(tmp_path / "B", name="B", version="1.0.0")
    found = find_libraries([tmp_path])
    wanted = [parse_wanted("A"), parse_wanted("B")]
    resolved = resolve(wanted, found)
    assert list(resolved.chosen) == [wanted[1]]
    said = resolved.unresolved[wanted[0]]
    assert said.startswith(f"A ({tmp_path}/A/library.json: is no library.json: ")
    assert why in said


def test_a_library_without_a_version_is_the_one_that_is_asked_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "B").mkdir()
    (tmp_path / "C-1.2.0").mkdir()
    found = find_libraries([tmp_path])
    one = parse_wanted("somebody/B@^2.1")
    note = json.loads(installed_note(one, resolve([one], found).chosen[one]))
    assert note["version"] == "2.1.0"
    assert resolve([parse_wanted("C@^2.1")], found).unresolved


def test_a_library_that_describes_itself_nowhere_is_described(tmp_path: Path) -> None:
    # PlatformIO does not build with a library that has no manifest.
    (tmp_path / "libs" / "B").mkdir(parents=True)
    (tmp_path / "libs" / "B" / "B.h").touch()
    wanted = [parse_wanted("somebody/B@^2.1")]
    seed_libraries(
        resolve(wanted, find_libraries([tmp_path / "libs"])), tmp_path / "libdeps"
    )
    described = json.loads((tmp_path / "libdeps" / "B" / "library.json").read_text())
    assert described == {"name": "B", "version": "2.1.0"}
    assert not (tmp_path / "libs" / "B" / "library.json").exists()


def test_what_a_library_wants_is_wanted_too(tmp_path: Path) -> None:
    needs = [
        {"owner": "o", "name": "B", "version": "1"},
        {"name": "OnlyForOthers", "platforms": "espressif8266"},
    ]
    library(tmp_path / "A", name="A", dependencies=needs)
    library(tmp_path / "B", name="B", version="1.0.0", dependencies={"o/C": "^1"})
    found = find_libraries([tmp_path])
    resolved = resolve([parse_wanted("A")], found, platform="atmelavr")
    assert [one.name for one in resolved.chosen] == ["A", "B"]
    assert list(resolved.absent.values()) == ["o/C@^1 (for B)"]
    assert not resolved.unresolved, "the project may do without"


def test_what_is_there_already_needs_no_choosing_unless_an_owner_is_named() -> None:
    wanted = [parse_wanted("Wire"), parse_wanted("arduino/Wire")]
    resolved = resolve(wanted, [], there_already=["Wire"])
    assert list(resolved.unresolved) == wanted[1:]


def test_what_a_library_wants_has_to_be_its_own_or_a_frameworks(tmp_path: Path) -> None:
    library(tmp_path / "A", name="A", dependencies={"B": "*", "Wire": "*"})
    library(tmp_path / "B", name="B")
    found = find_libraries([tmp_path])
    resolved = resolve(
        [parse_wanted("A")], found, there_already=["B"], of_frameworks=["Wire"]
    )
    assert not resolved.absent, "it is in the folder"
    alone = resolve([parse_wanted("A")], found[:1], there_already=["B"])
    assert list(alone.absent.values()) == ["B@* (for A)", "Wire@* (for A)"]


def test_platformio_is_told_what_it_would_have_written_itself(tmp_path: Path) -> None:
    found = FoundLibrary(tmp_path, "NeoPixel", "v1.12")
    note = json.loads(installed_note(parse_wanted("a/Adafruit NeoPixel@^1"), found))
    assert (note["name"], note["version"]) == ("Adafruit NeoPixel", "1.12.0")
    assert note["spec"]["owner"] == "a"
