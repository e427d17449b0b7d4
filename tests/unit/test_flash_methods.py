"""What each tool is told, and what its output means; no tool is run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError, NotSupported, ToolMissing
from pytest_embedbench.flashing import After, Erase, FlashSettings, read_settings
from pytest_embedbench.flashing.avrdude import Avrdude
from pytest_embedbench.flashing.command import OwnCommand
from pytest_embedbench.flashing.esptool import Esptool
from pytest_embedbench.flashing.images import esp_pieces, nvs_region
from pytest_embedbench.flashing.model import FlashTarget
from pytest_embedbench.flashing.programs import find_program
from pytest_embedbench.flashing.rp2040 import Picotool, Uf2Copy
from pytest_embedbench.flashing.stm32 import Openocd, Stflash, Stm32flash
from tests.support.boards import image

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.flashing import FlashMethod
    from pytest_embedbench.model import FirmwareImage

ALL_FILES = {f"firmware.{suffix}": b"\xe9" for suffix in ("bin", "hex", "uf2")}


@pytest.fixture
def target(tmp_path: Path) -> FlashTarget:
    return FlashTarget(
        port="PORT",
        chip="stm32f401re",
        baud_bps=115_200,
        after=After.RUN,
        scratch=tmp_path,
    )


@pytest.fixture
def firmware(tmp_path: Path) -> FirmwareImage:
    return image(tmp_path / "image", ALL_FILES)


@pytest.fixture
def tool(tmp_path: Path) -> Callable[..., str]:
    """Return a function that makes a program which says something."""

    def make(name: str, says: str = "") -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho '{says}'\n")
        path.chmod(0o755)
        return str(path)

    return make


def said(argv: tuple[str, ...], folder: Path) -> str:
    """Return a command as text, with short paths."""
    return " ".join(argv).replace(f"{folder}/", "")


def test_esptool_4_and_5_are_told_in_their_own_words(
    target: FlashTarget,
    firmware: FirmwareImage,
    tool: Callable[..., str],
    tmp_path: Path,
) -> None:
    target = replace(target, chip="esp32")
    old = Esptool(program=tool("esptool.py", "esptool.py v4.8.1\n4.8.1"))
    new = Esptool(program=tool("esptool", "esptool v5.0.2\n5.0.2"))
    assert said(old.write(target, firmware).argv, tmp_path) == (
        "esptool.py --chip esp32 --port PORT --baud 115200 --before default_reset "
        "--after hard_reset --connect-attempts 3 write_flash --no-progress "
        "0x10000 image/firmware.bin"
    )
    assert said(new.write(target, firmware).argv, tmp_path) == (
        "esptool --chip esp32 --port PORT --baud 115200 --before default-reset "
        "--after hard-reset --connect-attempts 3 write-flash --no-progress "
        "0x10000 image/firmware.bin"
    )


def test_what_is_held_after_the_flash_is_not_reset(
    target: FlashTarget, firmware: FirmwareImage, tool: Callable[..., str]
) -> None:
    # F5: whoever opens the port presses reset, and misses nothing.
    method = Esptool(program=tool("esptool", "5.0.2"))
    held = replace(target, after=After.HOLD)
    for step in (method.write(held, firmware), method.compare(held, firmware)):
        assert step.argv[step.argv.index("--after") + 1] == "no-reset"


@pytest.mark.parametrize(
    ("output", "chip", "serial"),
    [
        pytest.param(
            "Detecting chip type... Unsupported detection protocol, switching\n"
            "Detecting chip type... ESP32\nChip is ESP32-D0WD-V3 (revision v3.1)\n"
            "MAC: 24:0A:C4:12:34:56\n",
            "esp32",
            "24:0a:c4:12:34:56",
            id="4",
        ),
        pytest.param(
            "Connected to ESP32-C3 on /dev/ttyACM0:\n"
            "Chip type:          ESP32-C3 (QFN32) (revision v0.4)\n"
            "MAC:                34:85:18:00:00:01\n",
            "esp32c3",
            "34:85:18:00:00:01",
            id="5",
        ),
        pytest.param(
            "Connected to ESP32-C6 on /dev/ttyACM0:\nBASE MAC: 40:4c:ca:00:00:01\n",
            "esp32c6",
            "40:4c:ca:00:00:01",
            id="with an extended MAC",
        ),
    ],
)
def test_esptool_says_chip_and_mac(
    target: FlashTarget, output: str, chip: str, serial: str
) -> None:
    identity = Esptool().parse_identity(target, output)
    assert identity is not None
    assert (identity.chip, identity.serial) == (chip, serial)


def test_the_rate_goes_down_standard_steps() -> None:
    # F2, F3
    assert list(Esptool().baud_rates(921_600)) == [
        921_600,
        460_800,
        230_400,
        115_200,
        57_600,
    ]
    assert list(Avrdude().baud_rates(57_600)) == [57_600]


def test_pieces_go_where_the_build_tool_says(tmp_path: Path) -> None:
    files = {**ALL_FILES, "bootloader.bin": b"b", "boot_app0.bin": b"a"}
    placed = image(
        tmp_path / "image",
        files,
        flash_images="0x0=bootloader.bin 0xe000=boot_app0.bin",
        application_offset="0x20000",
    )
    assert [(offset, path.name) for offset, path in esp_pieces(placed)] == [
        (0x0, "bootloader.bin"),
        (0xE000, "boot_app0.bin"),
        (0x20000, "firmware.bin"),
    ]


def test_an_image_from_elsewhere_is_an_application_alone(
    firmware: FirmwareImage,
) -> None:
    assert [(offset, path.name) for offset, path in esp_pieces(firmware)] == [
        (0x10000, "firmware.bin")
    ]


def test_nvs_is_not_guessed(firmware: FirmwareImage) -> None:
    with pytest.raises(NotSupported, match=r"has no partitions\.bin"):
        nvs_region(firmware)


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("avrdude: Device signature = 0x1e950f (probably m328p)", "stm32f401re"),
        ("avrdude: device signature = 0x1e950f", "stm32f401re"),
        (
            """Device signature = 1E 98 01 (probably m2560)
            Expected signature for ATmega328P is 1E 95 0F""",
            "m2560",
        ),
        ("avrdude: stk500_getsync() attempt 10 of 10: not in sync: resp=0x00", None),
    ],
)
def test_avrdude_says_whether_the_signature_fits(
    target: FlashTarget, output: str, found: str | None
) -> None:
    identity = Avrdude().parse_identity(target, output)
    assert (identity and identity.chip) == found


def test_avrdude_never_sees_a_path_with_a_colon(
    target: FlashTarget, firmware: FirmwareImage, tool: Callable[..., str]
) -> None:
    step = Avrdude(program=tool("avrdude")).write(target, firmware)
    assert step.argv[-1] == "flash:w:firmware.hex:i"
    assert step.cwd == firmware.elf_path.parent


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda program: Stm32flash(program=program, lines="rts,-dtr:-rts,dtr"),
            "tool -b 115200 -i rts,-dtr:-rts,dtr -w image/firmware.bin -v -g 0x0 PORT",
        ),
        (
            lambda program: Openocd(program=program, config="a.cfg b.cfg"),
            "tool -f a.cfg -f b.cfg -c program {image/firmware.elf} verify reset exit",
        ),
        (
            lambda program: Stflash(program=program, probe="066"),
            "tool --serial 066 --reset write image/firmware.bin 0x08000000",
        ),
        (
            lambda program: Picotool(program=program, probe="E66"),
            "tool load -v -x image/firmware.uf2 -f --ser E66",
        ),
        (
            lambda program: OwnCommand(
                write_argv=(program, "{port}", "{hex}", "{{x}}")
            ),
            "tool PORT image/firmware.hex {x}",
        ),
    ],
)
def test_each_tool_is_told_what_to_write(
    target: FlashTarget,
    firmware: FirmwareImage,
    tool: Callable[..., str],
    tmp_path: Path,
    make: Callable[[str], FlashMethod],
    expected: str,
) -> None:
    step = make(tool("tool")).write(target, firmware)
    assert said(step.argv, tmp_path).replace(f"{tmp_path}/", "") == expected


@pytest.mark.parametrize(
    ("method", "output", "chip", "serial"),
    [
        (
            Stm32flash(),
            "Version      : 0x31\nDevice ID    : 0x0433 (STM32F401xD/E)\n",
            "stm32f401re",
            "",
        ),
        (
            Openocd(config="x", probe="ABC"),
            "Info : device id = 0x10006433",
            "stm32f401re",
            "abc",
        ),
        (
            Stflash(),
            "Found 1 stlink programmers\n serial:     066DFF\n chipid:     0x433\n",
            "stm32f401re",
            "066dff",
        ),
        (
            Stm32flash(),
            "Device ID    : 0x0413",
            "stm32f405/stm32f407/stm32f415/stm32f417 (device id 0x413)",
            "",
        ),
        (Picotool(), "Device Information\n type:   RP2040\n", "rp2040", ""),
        (Uf2Copy(drive="x"), "UF2 Bootloader v3.0\nBoard-ID: RPI-RP2\n", "rp2040", ""),
    ],
)
def test_each_tool_says_who_the_board_is(
    target: FlashTarget, method: FlashMethod, output: str, chip: str, serial: str
) -> None:
    identity = method.parse_identity(target, output)
    assert identity is not None
    assert (identity.chip, identity.serial) == (chip, serial)


def test_of_two_probes_only_the_one_asked_for_is_believed(target: FlashTarget) -> None:
    # B11: the tool chooses a probe by itself, and takes the other board.
    output = (
        "Found 2 stlink programmers\n"
        " version: V2\n serial: 0AA\n chipid: 0x413\n"
        " version: V2\n serial: 0BB\n chipid: 0x433\n"
    )
    chosen = Stflash(probe="0BB").parse_identity(target, output)
    assert chosen is not None
    assert chosen.chip == "stm32f401re"
    assert Stflash().parse_identity(target, output) is None


def test_openocd_takes_the_probe_that_is_named(
    target: FlashTarget, tool: Callable[..., str]
) -> None:
    # B11
    method = Openocd(program=tool("openocd"), config="a.cfg", probe="066D")
    argv = method.query_identity(target).argv
    assert argv.index("adapter serial 066D") < argv.index("init")


@pytest.mark.parametrize(
    "method", [Avrdude(), Stm32flash(), Openocd(config="x"), Stflash(), Picotool()]
)
def test_nvs_is_an_esps_own(
    target: FlashTarget, firmware: FirmwareImage, method: FlashMethod
) -> None:
    with pytest.raises(NotSupported, match="NVS"):
        method.erase(target, firmware, Erase.NVS)


def test_a_file_that_was_not_built_is_named(
    target: FlashTarget, tmp_path: Path
) -> None:
    bare = image(tmp_path / "image", {})
    with pytest.raises(ConfigError, match=r"has no \.uf2 file; it has firmware\.elf"):
        Uf2Copy(drive="x").write(target, bare)


def test_a_missing_tool_says_how_to_get_it() -> None:
    with pytest.raises(ToolMissing, match="apt-get install no-such-flasher"):
        find_program("no-such-flasher", install="apt-get install no-such-flasher")


def test_a_placeholder_that_stands_for_nothing_is_named(
    target: FlashTarget, firmware: FirmwareImage
) -> None:
    with pytest.raises(ConfigError, match=r"\{prot\}.*known: \{baud\}, \{chip\}"):
        OwnCommand(write_argv=("sh", "{prot}")).write(target, firmware)


def test_a_lab_file_chooses_a_method_and_its_options(tmp_path: Path) -> None:
    settings = read_settings(
        {
            "method": "esptool",
            "before": "usb-reset",
            "serial": "24:0a:c4:12:34:56",
            "baud_bps": 460_800,
            "erase": "nvs",
            "after": "hold",
            "reset": ["relay", "{port}"],
            "parking": "parked.bin",
            "parking_offset": 0x10000,
        },
        lambda key: f"board.left.flash.{key}",
        relative_to=str(tmp_path / "embedbench.toml"),
    )
    assert settings == FlashSettings(
        method=Esptool(before="usb-reset"),
        serial="24:0a:c4:12:34:56",
        baud_bps=460_800,
        erase=Erase.NVS,
        after=After.HOLD,
        reset=("relay", "{port}"),
        parking=tmp_path / "parked.bin",
        parking_offset=0x10000,
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "f.flash.method: must be one of avrdude, command, esptool"),
        ({"method": "dd"}, "f.flash.method: must be one of"),
        ({"method": "esptool", "baud": 1}, "f.flash.baud: unknown key; known keys:"),
        ({"method": "openocd"}, "f.flash.config: missing"),
        (
            {"method": "esptool", "erase": "some"},
            "erase: must be one of none, nvs, all",
        ),
        ({"method": "esptool", "stub": "no"}, "f.flash.stub: must be"),
        (
            {"method": "command", "write_argv": []},
            "write_argv: must be a non-empty list",
        ),
        (
            {"method": "command", "write_argv": ["x"], "pattern": "y"},
            "pattern 'y' has no group",
        ),
    ],
)
def test_a_wrong_table_is_told_by_file_and_key(
    table: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=r"embedbench\.toml: ") as wrong:
        read_settings(table, lambda key: f"embedbench.toml: f.flash.{key}")
    assert message in str(wrong.value)
