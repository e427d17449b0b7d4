"""Images for ESP chips are looked at before they run: a sentence if they cannot."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import ConfigError, EmbedbenchError, NotSupported
from pytest_embedbench.flashing.esp_flash import (
    FlashRegion,
    check_flash,
    table_in,
)
from pytest_embedbench.flashing.esp_image import for_flash_of, read_esp_image
from pytest_embedbench.flashing.esp_origin import Loadable
from pytest_embedbench.flashing.esp_partitions import read_partitions
from tests.support import esp_files

ELF = Loadable(
    "firmware.elf", b"\1" * 32, esp_files.ENTRY, [(esp_files.CODE_AT, esp_files.CODE)]
)
APP = esp_files.esp_image(
    (esp_files.DATA_AT, esp_files.description(ELF.sha256)),
    (esp_files.CODE_AT, esp_files.CODE),
)
BOOT = esp_files.esp_image()
TABLE = esp_files.partition_table()


def check(
    app: bytes = APP,
    boot: bytes = BOOT,
    table: bytes = TABLE,
    elf: Loadable | None = ELF,
    size_mb: int = 4,
    at: int = 0x10000,
) -> None:
    held = [
        FlashRegion(0x1000, boot, "bootloader.bin"),
        FlashRegion(0x8000, table, "partitions.bin"),
        FlashRegion(at, app, "firmware.bin"),
    ]
    check_flash(
        [region for region in held if region.data],
        chip="esp32",
        bootloader_offset=0x1000,
        size_mb=size_mb,
        elf=elf,
    )


def one_sentence(raised: pytest.ExceptionInfo[EmbedbenchError]) -> str:
    text = str(raised.value)
    assert "\n" not in text
    assert len(text) < 300
    return text


def test_a_whole_build_for_another_chip_is_that_and_no_missing_bootloader() -> None:
    # its bootloader lies elsewhere
    other = esp_files.esp_image(
        (esp_files.CODE_AT, bytes(0x2000)), chip_id=esp_files.ESP32C3
    )
    held = [FlashRegion(0, other, "bootloader.bin"), FlashRegion(0x8000, TABLE)]
    with pytest.raises(ConfigError, match=r"made for esp32c3 \(chip id 5\)"):
        check_flash(held, chip="esp32", bootloader_offset=0x1000, size_mb=4)
    held = [FlashRegion(0x1000, BOOT, "bootloader.bin"), FlashRegion(0x8000, TABLE)]
    with pytest.raises(ConfigError, match=r"made for esp32 \(chip id 0\)"):
        check_flash(held, chip="esp32c3", bootloader_offset=0, size_mb=4)


def test_what_a_build_makes_passes() -> None:
    check()
    check(elf=None)
    without_digest = esp_files.esp_image(
        (esp_files.CODE_AT, esp_files.CODE), digest=False
    )
    check(app=without_digest)


BAD = {
    "wrong chip": (
        {"app": esp_files.esp_image(chip_id=esp_files.ESP32C3)},
        ConfigError,
        "firmware.bin: is made for esp32c3 (chip id 5), but this board has an esp32",
    ),
    "wrong bootloader": (
        {"boot": esp_files.esp_image(chip_id=9)},
        ConfigError,
        "bootloader.bin: is made for esp32s3 (chip id 9)",
    ),
    "unknown chip": (
        {"app": esp_files.esp_image(chip_id=0xFFFF)},
        ConfigError,
        "made for an unknown chip (chip id 65535)",
    ),
    "truncated": (
        {"app": APP[:600]},
        ConfigError,
        "firmware.bin: is cut short or damaged: its segment 1 ends at",
    ),
    "truncated in the header": (
        {"app": APP[:9]},
        ConfigError,
        "ends within its header",
    ),
    "truncated at the end": (
        {"app": APP[:-8]},
        ConfigError,
        "its checksum or digest ends at",
    ),
    "empty": ({"boot": b"\xff" * 4096}, ConfigError, "it is empty flash"),
    "no magic": (
        {"app": b"hello, world\n" * 50},
        ConfigError,
        "firmware.bin: is no image for an ESP chip: it starts with 0x68, not with 0xe9",
    ),
    "an ELF file": ({"app": esp_files.elf_file()}, ConfigError, "it is an ELF file"),
    "a HEX file": ({"app": b":100000000C94"}, ConfigError, "it is an Intel HEX file"),
    "a bit flipped": (
        {"app": APP[:400] + bytes([APP[400] ^ 1]) + APP[401:]},
        ConfigError,
        "firmware.bin: is damaged: its SHA-256 is another than it says",
    ),
    "a bit flipped in the bootloader": (
        {"boot": BOOT[:400] + bytes([BOOT[400] ^ 1]) + BOOT[401:]},
        ConfigError,
        "bootloader.bin: is damaged: its checksum is",
    ),
    "signed": (
        {"app": esp_files.signed(APP)},
        NotSupported,
        "firmware.bin: is signed for Secure Boot V2",
    ),
    "encrypted": (
        {"app": esp_files.encrypted(APP)},
        NotSupported,
        "firmware.bin: is encrypted, it seems",
    ),
    "encrypts": (
        {"boot": esp_files.esp_image((esp_files.CODE_AT, b"flash_encrypt\0\0\0"))},
        NotSupported,
        "bootloader.bin: is a bootloader for flash encryption",
    ),
    "an ELF file of another build": (
        {
            "elf": ELF._replace(
                sha256=bytes(32), segments=[(esp_files.CODE_AT, b"other")]
            )
        },
        ConfigError,
        "firmware.bin was not made of firmware.elf: they differ at address 0x40080000",
    ),
    "an ELF file of another program": (
        {"elf": ELF._replace(sha256=bytes(32), entry=0x40081234)},
        ConfigError,
        "it starts at 0x40081000, the ELF file at 0x40081234",
    ),
    "no table": ({"table": b""}, ConfigError, "there is no partition table beside"),
    "a damaged table": (
        {"table": TABLE[:8] + b"\1" + TABLE[9:]},
        ConfigError,
        "partitions.bin: the partition table is damaged: its MD5",
    ),
    "a table without applications": (
        {
            "table": esp_files.partition_table(
                esp_files.partition(1, 2, 0x9000, 0x6000, b"n")
            )
        },
        ConfigError,
        "has no partition for an application",
    ),
    "another table": (
        {"at": 0x200000},
        ConfigError,
        "firmware.bin: lies at 0x200000, where the partition table has no partition",
    ),
    "too small a partition": (
        {
            "table": esp_files.partition_table(
                esp_files.partition(0, 0, 0x10000, 0x200, b"small")
            )
        },
        ConfigError,
        "more than the 512 of its partition 'small'",
    ),
    "too small a flash": (
        {
            "table": esp_files.partition_table(
                esp_files.partition(0, 0, 0x10000, 0x400000, b"big")
            )
        },
        ConfigError,
        "the partition 'big' ends at 0x410000, beyond the flash of 4 MB",
    ),
    "no bootloader": ({"boot": b""}, ConfigError, "there is nothing at 0x1000"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_boot_is_one_sentence(kind: str) -> None:
    changed, error, words = BAD[kind]
    with pytest.raises(error) as raised:
        check(**changed)  # type: ignore[arg-type]
    assert words in one_sentence(raised)


def test_an_elf_file_that_was_changed_afterwards_is_known_by_its_bytes() -> None:
    # stripped of debug information, say: another digest, the same program
    check(elf=ELF._replace(sha256=b"\2" * 32))


def test_the_digest_in_the_image_is_no_difference() -> None:
    blank = esp_files.description(bytes(32))
    check(elf=ELF._replace(sha256=b"\2" * 32, segments=[(esp_files.DATA_AT, blank)]))
    other = esp_files.description(bytes(32), project=b"other")
    with pytest.raises(ConfigError, match="they differ at address 0x3f400050"):
        check(elf=ELF._replace(sha256=bytes(32), segments=[(esp_files.DATA_AT, other)]))


def test_a_bare_image_needs_no_table() -> None:
    held = [FlashRegion(0x1000, BOOT, "firmware.bin")]
    check_flash(held, chip="esp32", bootloader_offset=0x1000, size_mb=4, elf=ELF)


def test_a_merged_image_is_looked_at_inside() -> None:
    merged = bytearray(b"\xff" * 0x20000)
    for offset, data in ((0x1000, BOOT), (0x8000, TABLE), (0x10000, APP)):
        merged[offset : offset + len(data)] = data

    def check_merged() -> None:
        held = [FlashRegion(0, bytes(merged), "merged.bin")]
        check_flash(held, chip="esp32", bootloader_offset=0x1000, size_mb=4, elf=ELF)

    check_merged()
    merged[0x10100] ^= 1
    with pytest.raises(ConfigError, match=r"merged\.bin: is damaged"):
        check_merged()


def test_a_flasher_says_how_big_the_flash_is_and_keeps_the_digest() -> None:
    image = read_esp_image(APP, "app", "esp32")
    assert for_flash_of(APP, image, 4) == APP
    changed = for_flash_of(APP, image, 8)
    again = read_esp_image(changed, "app", "esp32")
    assert again.flash_size_code == 3
    assert again.segments == image.segments


def test_an_application_says_what_it_is() -> None:
    about = read_esp_image(APP, "app", "esp32").description
    assert about is not None
    assert (about.project, about.version, about.idf_version) == (
        "blinky",
        "1.0",
        "v5.1",
    )
    assert about.elf_sha256 == ELF.sha256
    assert read_esp_image(BOOT, "boot", "esp32").description is None


def test_a_table_is_read_to_its_end() -> None:
    rows = read_partitions(TABLE, "t")
    assert [(row.label, row.is_app, row.is_nvs) for row in rows] == [
        ("nvs", False, True),
        ("app0", True, False),
    ]
    assert table_in([FlashRegion(0x1000, BOOT)]) is None


def test_rubbish_is_no_table() -> None:
    with pytest.raises(ConfigError, match="is no partition table: it starts with 6869"):
        read_partitions(b"hi", "t")
    with pytest.raises(ConfigError, match="its row 1 starts with"):
        read_partitions(TABLE[:32] + b"x" * 32, "t")
