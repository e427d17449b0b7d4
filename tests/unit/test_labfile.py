"""A lab file is checked key by key, and says how to be cured."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.flashing import Erase
from pytest_embedbench.lab.inventory.board_options import flash_settings
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.ports.discovery import PortQuery, find
from pytest_embedbench.model import BoardSpec, UartSpec
from pytest_embedbench.testing import LOOPBACK_SPEC

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.model import Option

GOOD = """
wait_s = 90

[boards.devkit-1]
board = "esp32-devkit"
usb_serial = "0001"
usb_location = "1-2"
labels = ["esp32", "wifi"]

[boards.devkit-2]
board = "esp32-devkit"
port = "/dev/serial/by-path/x"
labels = ["esp32"]
options = { dtr = false }

[boards.uno-1]
board = "arduino-uno"
port = "rfc2217://desk7:4000"
labels = ["wifi"]

[pools.left-rack]
boards = ["devkit-2"]
"""


LABGRID = "labgrid = { coordinator = 'lab:20408' }\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = tmp_path / "embedbench.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_a_lab_knows_its_boards_labels_and_pools(write: Callable[[str], Path]) -> None:
    lab = load_lab(write(GOOD))
    assert lab.names() == [
        "devkit-1", "devkit-2", "esp32", "left-rack", "uno-1", "wifi",
    ]  # fmt: skip
    assert [board.name for board in lab.candidates("esp32")] == ["devkit-1", "devkit-2"]
    assert [board.name for board in lab.candidates("left-rack")] == ["devkit-2"]
    assert lab.boards["devkit-1"].query == PortQuery(
        usb_serial="0001", usb_location="1-2"
    )
    assert lab.wait_s == 90


SHEET = BoardSpec(
    name="kind",
    engine="serial",
    mcu="any",
    cpu_hz=1,
    uarts=(UartSpec(name="uart0", baud_bps=9600),),
    environments=("any",),
    options={
        "flash_method": "esptool",
        "flash_baud_bps": 460_800,
        "reset_sequence": "esp32-classic",
        "dtr": False,
    },
)


def test_a_label_over_several_kinds_of_board_names_no_firmware(
    write: Callable[[str], Path],
) -> None:
    def sheet(name: str) -> BoardSpec:
        return replace(SHEET, mcu=name)

    with pytest.raises(ConfigError, match=r"several kinds \(arduino-uno, esp32-devkit"):
        load_lab(write(GOOD)).spec("wifi", sheet)


TWO_SPEEDS = """
[boards.nano]
board = "arduino-nano"
port = "/dev/ttyUSB0"
labels = ["avr"]
baud_bps = 57_600

[boards.uno]
board = "arduino-uno"
port = "/dev/ttyACM0"
labels = ["avr"]
"""


def test_boards_of_one_chip_with_different_speeds_share_a_label(
    write: Callable[[str], Path],
) -> None:
    lab = load_lab(write(TWO_SPEEDS))
    sheets = {name: Registry().board(name) for name in ("arduino-nano", "arduino-uno")}
    group = lab.spec("avr", sheets.__getitem__)
    assert group.environments == ("uno",)
    group = replace(group, options={**group.options, "erase": "all"})
    nano, uno = (lab.over(board, group) for board in lab.candidates("avr"))
    assert (nano.name, uno.name) == ("nano", "uno")
    flashed_at = [spec.options.get("flash_baud_bps") for spec in (nano, uno)]
    assert flashed_at == [57_600, sheets["arduino-uno"].options.get("flash_baud_bps")]
    assert [spec.uarts[0].baud_bps for spec in (nano, uno)] == [57_600, 115_200]
    assert {spec.options["erase"] for spec in (nano, uno)} == {"all"}


def test_a_board_of_a_lab_is_its_datasheet_with_a_place(
    write: Callable[[str], Path],
) -> None:
    file = write("[boards.a]\nboard = 'kind'\nport = 'x'\noptions = { dtr = true }")
    spec = load_lab(file).spec("a", lambda _: SHEET)
    assert (spec.name, spec.engine) == ("a", "serial")
    assert spec.options == {
        **SHEET.options,
        "dtr": True,
        "port": "x",
        "lab": str(file),
        "wait_s": 600,
        "quarantine_after": 3,
    }


@pytest.mark.parametrize(
    ("tables", "changed"),
    [
        # What only tells boards of a kind apart is added to how that kind is flashed.
        ("flash = { serial = 'aa:bb' }", {"flash_serial": "aa:bb"}),
        (
            "flash = { method = 'none' }",
            {"flash_method": "none", "flash_baud_bps": None},
        ),
        (
            "reset = { command = ['a', 'b'] }",
            {"reset_command": ("a", "b"), "reset_sequence": None},
        ),
        ("power = { off_ms = 5 }", {"power_off_ms": 5}),
    ],
)
def test_a_table_of_a_lab_takes_the_place_of_the_datasheets(
    write: Callable[[str], Path], tables: str, changed: dict[str, object]
) -> None:
    file = write(f"[boards.a]\nboard = 'kind'\nport = 'x'\n{tables}")
    options = load_lab(file).spec("a", lambda _: SHEET).options
    expected = {
        key: value
        for key, value in {**SHEET.options, **changed}.items()
        if value is not None
    }
    assert {key: options.get(key) for key in expected} == expected
    assert not [
        key for key, value in changed.items() if value is None and key in options
    ]


def test_a_group_is_its_datasheet_without_a_place(write: Callable[[str], Path]) -> None:
    spec = load_lab(write(GOOD)).spec("esp32", lambda _: SHEET)
    assert spec.name == "esp32"
    assert not {"port", "usb_serial"} & set(spec.options)


def test_an_unknown_datasheet_is_named_with_its_key(
    write: Callable[[str], Path],
) -> None:
    def nothing(name: str) -> BoardSpec:
        raise UnknownName("board", name, ["uno"])

    with pytest.raises(ConfigError, match=r"boards\.uno-1\.board: no board named 'ard"):
        load_lab(write(GOOD)).spec("uno-1", nothing)


def test_a_run_has_the_lab_that_there_was_when_it_began(
    write: Callable[[str], Path],
) -> None:
    registry = Registry(lab=write(GOOD))
    names = registry.lab_names()
    write("[boards.new]\nboard = 'uno'\nport = 'x'")
    assert registry.lab_names() == names
    assert Registry(lab=registry.lab).lab_names() == ["new"]


def test_an_unknown_name_lists_the_known_ones(write: Callable[[str], Path]) -> None:
    with pytest.raises(UnknownName, match="no lab board named 'pi'; known lab boards"):
        load_lab(write(GOOD)).candidates("pi")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("boards = 3", "boards: must be a table, is 3"),
        ("[boards]", "boards: a lab needs at least one, as [boards.NAME]"),
        ("[boards.a]\nport = 'x'", "boards.a.board: missing"),
        ("[boards.a]\nboard = 'u'", "boards.a: a board needs a port: give one of port"),
        # B19: an empty serial number waited for its device for ever.
        (
            "[boards.a]\nboard = 'u'\nusb_serial = ''",
            "boards.a.usb_serial: is empty; give it a value or leave it out",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = ' '",
            "boards.a.port: is empty; give it a value or leave it out",
        ),
        ("[boards.a]\nboard = 'u'\nport = 5", "boards.a.port: must be text, is 5"),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nlabel = ['l']",
            "boards.a.label: unknown key; known keys: baud_bps, board, disabled, ",
        ),
        # B19: two boards on one port.
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\n[boards.b]\nboard = 'u'\nport = 'x'",
            "boards.b: has the same port as boards.a (x); one of them is wrong",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nlabels = []",
            "boards.a.labels: must be a non-empty list of text",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nlabels = ['a']",
            "boards.a.labels: 'a' is the name of a board; rename one of them",
        ),
        (
            "[boards.'a b']\nboard = 'u'\nport = 'x'",
            "boards.a b: 'a b' is not a name: use letters, digits, '.', '_' and '-'",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\n[pools.p]\nboards = ['z']",
            "pools.p.boards: no board 'z'; there are: a",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\n[pools.a]\nboards = ['a']",
            "pools.a: is also the name of a board or a label; rename it",
        ),
        (
            "[boards.a]\nboard = 'u'\nusb_id = 'ftdi'",
            "boards.a: usb_id 'ftdi' is not like '10c4:ea60' (vendor:product)",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\noptions = { dtr = [1] }",
            "boards.a.options.dtr: must be a non-empty list of text",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nreset = { how = { a = 1 } }",
            "boards.a.reset.how: must be text, a number, true or false, or a list of",
        ),
        (
            "wait_s = -1\n[boards.a]\nboard = 'u'\nport = 'x'",
            "wait_s: must be 0 or more seconds, is -1",
        ),
        (
            "[boards.a]\nboard = 'u'\nplace = 'p'",
            "boards.a: 'place' needs a coordinator, in a table [labgrid]",
        ),
        (
            f"{LABGRID}[boards.a]\nboard = 'u'\nplace = 'p'\nport = 'x'",
            "boards.a: a labgrid 'place' says where the board is: name it, alone",
        ),
        (
            f"{LABGRID}[boards.a]\nboard = 'u'\nresource = 'r'",
            "boards.a: a labgrid 'place' says where the board is: name it, alone",
        ),
        (
            "labgrid = { coordinator = 'lab' }\n[boards.a]\nboard = 'u'\nport = 'x'",
            "labgrid.coordinator: must be like 'lab.example:20408', is 'lab'",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'socket://desk:http'",
            "boards.a: port 'socket://desk:http': Port could not be cast",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'socket://desk:99999'",
            "boards.a: port 'socket://desk:99999': Port out of range",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'rfc2217://desk'",
            "boards.a: port 'rfc2217://desk' is not like 'rfc2217://host:4000'",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'hwgrep://('",
            "boards.a: hwgrep://(: not a regular expression: ",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nfeatures = ['can', 'reset']",
            "boards.a.features: 'reset' is no feature but a capability, which follows",
        ),
        (
            "[boards.a]\nboard = 'u'\nport = 'x'\nfeatures = ['virtual-tme']",
            "boards.a.features: 'virtual-tme' is too near to the capability 'virtual-",
        ),
        ("[boards.a", "not a readable TOML file: "),
    ],
)
def test_what_is_wrong_is_named_with_its_file(
    write: Callable[[str], Path], text: str, told: str
) -> None:
    file = write(text)
    with pytest.raises(ConfigError, match=re.escape(f"{file}: {told}")):
        load_lab(file)


def test_a_place_of_a_labgrid_is_where_a_board_is(
    write: Callable[[str], Path],
) -> None:
    text = f"{LABGRID}[boards.a]\nboard = 'u'\nplace = 'p 1'\nresource = 'usb/2'"
    query = load_lab(write(text)).boards["a"].query
    assert query.port == "labgrid://lab:20408/p%201/usb%2F2"
    assert find(query, []).key == "labgrid-lab:20408/p%201/usb%2F2"


def test_a_lab_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nope\.toml: not a readable TOML file: "):
        load_lab(tmp_path / "nope.toml")


def test_a_test_may_ask_for_more_wiping_than_the_board_does() -> None:
    options: dict[str, Option] = {"flash_method": "esptool", "erase": "nvs"}
    settings = flash_settings(replace(LOOPBACK_SPEC, options=options))
    assert settings is not None
    assert settings.erase is Erase.NVS


UNO = """
[boards.my-uno]
board = "arduino-uno"
port = "/dev/ttyACM0"
"""


@pytest.mark.parametrize(
    "line", ["baud_bps = 9600", "uarts = { serial0 = { baud_bps = 9600 } }"]
)
def test_a_lab_file_says_how_fast_a_board_speaks(
    write: Callable[[str], Path], line: str
) -> None:
    registry = Registry(lab=write(f"{UNO}{line}\n"))
    (uart,) = registry.board("my-uno").uarts
    assert (uart.name, uart.baud_bps, uart.said_by) == ("serial0", 9600, "lab")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("baud_bps = 7", "boards.my-uno.baud_bps: must be from 50 to 20000000, is 7"),
        ("uarts = { a = { baud_bps = 9600 } }", "has no UART 'a'; it has: serial0"),
        ("uarts = { a = { baud = 9600 } }", "boards.my-uno.uarts.a.baud"),
    ],
)
def test_a_speed_that_cannot_be_is_refused(
    write: Callable[[str], Path], line: str, error: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(error)):
        Registry(lab=write(f"{UNO}{line}\n")).board("my-uno")
