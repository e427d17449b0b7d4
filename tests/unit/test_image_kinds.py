"""Prebuilt firmware: what kind a file is, and what it puts where."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest

from pytest_embedbench.bench.prebuilt import check_kind
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.builders.prebuilt import PrebuiltImage
from pytest_embedbench.errors import ConfigError, FirmwareFault
from pytest_embedbench.support.image_kinds import ImageKind, image_kind, read_segments
from pytest_embedbench.support.projects import prebuilt_source
from pytest_embedbench.testing import check_builder
from tests.support.esp_files import elf_file

END = ":00000001FF\n"
HEX = ":020000040001F9\n:0400000001020304F2\n:02000400050 6EF\n".replace(" ", "") + END
TABLE = b"\xaa\x50\x01\x02" + bytes(28)


def uf2(address: int, data: bytes, flags: int = 0) -> bytes:
    head = struct.pack(
        "<8I", 0x0A324655, 0x9E5D5157, flags, address, len(data), 0, 1, 0
    )
    return head + data.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a", b"\x7fELF\x01", ImageKind.ELF),
        ("a.hex", HEX.encode(), ImageKind.HEX),
        ("a.txt", b"\n" + HEX.encode(), ImageKind.HEX),
        ("a.uf2", uf2(0, b"x"), ImageKind.UF2),
        ("flasher_args.json", b"{}", ImageKind.FLASHER_ARGS),
        ("a.bin", b"\xe9\x04", ImageKind.BIN),
    ],
)
def test_a_file_is_known_by_what_is_in_it(
    tmp_path: Path, name: str, data: bytes, kind: ImageKind
) -> None:
    (tmp_path / name).write_bytes(data)
    assert image_kind(tmp_path / name) is kind


def test_what_cannot_be_an_image_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(ConfigError, match=r"image .*empty: is empty"):
        image_kind(tmp_path / "empty")
    with pytest.raises(ConfigError, match=r"image .*nowhere: no such file"):
        prebuilt_source(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="is a folder, not a file"):
        prebuilt_source(tmp_path)


def test_a_hex_file_says_what_is_where(tmp_path: Path) -> None:
    file = tmp_path / "a.hex"
    file.write_text(HEX)
    assert read_segments(file) == [(0x1_0000, bytes([1, 2, 3, 4, 5, 6]))]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (HEX.removesuffix(END), "cut short: it has no end record"),
        (HEX.replace("F2", "F3"), "line 2: its checksum is wrong"),
        (HEX.replace(":0400", ":0500"), "line 2: is no record of Intel HEX"),
        (f":00000009F7\n{END}", "line 1: record of unknown type 9"),
    ],
)
def test_a_damaged_hex_file_is_refused_with_its_line(
    tmp_path: Path, text: str, error: str
) -> None:
    file = tmp_path / "a.hex"
    file.write_text(text)
    with pytest.raises(FirmwareFault, match=error):
        read_segments(file)


def test_a_uf2_file_says_what_is_where_but_for_notes(tmp_path: Path) -> None:
    file = tmp_path / "a.uf2"
    blocks = [uf2(0x100, b"b" * 256), uf2(0, b"a" * 256), uf2(9, b"note", flags=1)]
    file.write_bytes(b"".join(blocks))
    assert read_segments(file) == [(0, b"a" * 256 + b"b" * 256)]
    file.write_bytes(b"".join(blocks)[:-1])
    with pytest.raises(FirmwareFault, match="cut short"):
        read_segments(file)


def test_prebuilt_images_keep_the_contract_of_builders(tmp_path: Path) -> None:
    (tmp_path / "a.hex").write_text(HEX)
    check_builder(
        PrebuiltImage(), prebuilt_source(tmp_path / "a.hex"), tmp_path / "out"
    )


def built(tmp_path: Path, name: str) -> tuple[str, set[str], dict[str, str]]:
    out = tmp_path / "out"
    out.mkdir()
    image = PrebuiltImage().build(prebuilt_source(tmp_path / name), out)
    return image.elf_path.name, set(image.artifacts), dict(image.metadata)


def test_a_merged_bin_is_all_of_a_flash_and_has_the_elf_beside_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "merged.bin").write_bytes(bytes(0x8000) + TABLE + b"\xff" * 0x1000)
    (tmp_path / "app.elf").write_bytes(b"\x7fELF")
    elf, files, metadata = built(tmp_path, "merged.bin")
    assert (elf, files) == ("app.elf", {"app.elf", "merged.bin"})
    assert metadata["flash_images"] == "0x0=merged.bin"


def test_an_elf_belongs_to_a_hex_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / "a.hex").write_text(HEX)
    (tmp_path / "b.elf").write_bytes(b"\x7fELF")
    source = prebuilt_source(tmp_path / "a.hex")
    alone = PrebuiltImage().build(source, tmp_path / "alone")
    assert alone.symbols_path is None
    shutil.copy(tmp_path / "b.elf", tmp_path / "a.elf")
    both = PrebuiltImage().build(source, tmp_path / "both")
    assert both.symbols_path == tmp_path / "both" / "a.elf"
    assert both.named_path == tmp_path / "both" / "a.hex"


def test_a_bin_is_what_runs_and_the_elf_beside_it_says_names(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x0c\x94")
    (tmp_path / "b.elf").write_bytes(b"\x7fELF")
    source = prebuilt_source(tmp_path / "a.bin")
    image = PrebuiltImage().build(source, tmp_path / "out")
    assert image.named_path == tmp_path / "out" / "a.bin"
    assert image.symbols_path == tmp_path / "out" / "b.elf"


def test_what_flasher_args_lists_goes_where_it_says(tmp_path: Path) -> None:
    (tmp_path / "bootloader").mkdir()
    for name in ("bootloader/bootloader.bin", "app.bin", "app.elf"):
        (tmp_path / name).write_bytes(b"\xe9")
    listed = {
        "flash_files": {"0x1000": "bootloader/bootloader.bin", "0x20000": "app.bin"},
        "app": {"offset": "0x20000", "file": "app.bin"},
        "flash_settings": {"flash_size": "4MB"},
    }
    (tmp_path / "flasher_args.json").write_text(json.dumps(listed))
    elf, files, metadata = built(tmp_path, "flasher_args.json")
    assert (elf, files) == ("app.elf", {"app.elf", "app.bin", "bootloader.bin"})
    assert metadata["flash_images"] == "0x1000=bootloader.bin 0x20000=app.bin"
    assert (metadata["application_offset"], metadata["flash_size"]) == (
        "0x20000",
        "4MB",
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{}", "does not list what is to be flashed"),
        ("no JSON", "does not list what is to be flashed"),
        (
            '{"flash_files": {"0x0": "x.bin"}, "app": {"offset": "0x0", "file": "x"}}',
            "lists x.bin, which is not there",
        ),
    ],
)
def test_flasher_args_that_list_nothing_are_refused(
    tmp_path: Path, text: str, error: str
) -> None:
    file = tmp_path / "flasher_args.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=error):
        PrebuiltImage().fingerprint(prebuilt_source(file))


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        (
            "a.hex",
            b"hello",
            r"is named .hex, and is no Intel HEX: .* b'hello'",
        ),
        ("a.ELF", b"\0\0", r"is named .ELF, and is no ELF"),
        ("a.hex", HEX.replace("F2", "F3").encode(), "line 2: its checksum is wrong"),
        ("a", HEX.removesuffix(END).encode(), "is cut short: it has no end record"),
    ],
)
def test_a_file_that_is_not_what_it_is_named_or_damaged_is_refused_by_its_own_path(
    tmp_path: Path, name: str, data: bytes, error: str
) -> None:
    (tmp_path / name).write_bytes(data)
    registry = Registry()
    spec = registry.board("uno")
    with pytest.raises(ConfigError, match=f"^image {tmp_path / name}: {error}"):
        check_kind(registry.engine(spec.engine), spec, prebuilt_source(tmp_path / name))


@pytest.mark.parametrize(
    ("board", "data", "error"),
    [
        ("native", HEX.encode(), "is Intel HEX, and board 'native' .* runs ELF"),
        ("uno", uf2(0, b"x"), "is UF2, and board 'uno' .* runs ELF, Intel HEX, BIN"),
        ("qemu-esp32", HEX.encode(), "runs ESP-IDF's flasher_args.json, BIN"),
        (
            "qemu-stm32f405",
            uf2(0, b"x"),
            "is UF2, and board .* runs ELF, Intel HEX, BIN",
        ),
    ],
)
def test_an_engine_says_which_kinds_it_runs(
    tmp_path: Path, board: str, data: bytes, error: str
) -> None:
    (tmp_path / "image").write_bytes(data)
    registry = Registry()
    spec = registry.board(board)
    with pytest.raises(ConfigError, match=error):
        check_kind(
            registry.engine(spec.engine), spec, prebuilt_source(tmp_path / "image")
        )


TOO_LONG = ":020000022000DC\n:0400000001020304F2\n" + END
"""Bytes at 128 KiB, in a flash of 32."""
ELF_OF_A_PC = struct.pack(
    "<16sHHIQQQIHHHHHH",
    b"\x7fELF\x02\x01\x01", 2, 62, 1, 0, 0, 0, 0, 64, 56, 0, 64, 0, 0,
)  # fmt: skip


def elf_of_an_avr(core: int) -> bytes:
    """Return the head of an ELF for a core, ``avr5`` or ``avr6``, with no program."""
    return struct.pack(
        "<16sHHIIIIIHHHHHH",
        b"\x7fELF\x01\x01\x01", 2, 83, 1, 0, 0, 0, 0x80 | core, 52, 32, 0, 40, 0, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("board", "data", "fact"),
    [
        ("uno", elf_of_an_avr(6), "is a program for another MCU (core avr6; atmega328"),
        ("mega", elf_of_an_avr(5), "is a program for another MCU (core avr5; atmega25"),
        ("uno", elf_of_an_avr(5), "has no program in it"),
        ("uno", ELF_OF_A_PC, "is a program for EM_X86_64, not for an AVR"),
        ("uno", TOO_LONG.encode(), "needs 131076 bytes of flash, atmega328p has 32768"),
        ("uno", bytes(1 << 16), "needs 65536 bytes of flash, atmega328p has 32768"),
        ("qemu-stm32f405", ELF_OF_A_PC, "is a program for EM_X86_64, not for an ARM"),
        ("native", elf_file(), "is a program for EM_XTENSA, not for this machine (EM_"),
        ("qemu-stm32f405", HEX.encode(), "puts 6 bytes at 0x10000, but the flash is"),
    ],
)
def test_an_image_for_another_machine_or_too_big_is_refused_by_its_own_path(
    tmp_path: Path, board: str, data: bytes, fact: str
) -> None:
    file = tmp_path / "image"
    file.write_bytes(data)
    registry = Registry()
    spec = registry.board(board)
    with pytest.raises(ConfigError) as refused:
        check_kind(registry.engine(spec.engine), spec, prebuilt_source(file))
    said = str(refused.value)
    assert said.startswith(f"image {file}: {fact}")
    assert said.endswith(f"; board {board!r} needs one that is built for it")
