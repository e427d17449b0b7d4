"""ESP chips on Espressif's QEMU: ticks as the build says, and what is not modelled."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError, FirmwareReset, NotSupported
from pytest_embedbench.model import FirmwareImage
from tests.e2e.qemu_boards import Workshop, built, skip_unless_installed, workshop

__all__ = ["built", "workshop"]

# What FreeRTOS calls them where it ticks by the cycles of an ESP32's core.
RENAMED = {
    "embedbench_ticks": "xTickCount",
    "bare_tick": "xTaskIncrementTick",
    "embedbench_ticks_done": "port_interruptNesting",
}
# What ESP-IDF keeps up to date: the cycles of a tick, and the core's MHz.
TICKS_AT_100_HZ = """
volatile uint32_t _xt_tick_divisor = 400000;
void firmware_main(void)
{
    *(volatile uint32_t *)0x3ffe01e0 = _xt_tick_divisor / 10000;
    for (;;)
        port_delay_ms(1000);
}
"""
# The port's own fault handler says less than ESP-IDF's, whose words these are.
DIES_OF_MCPWM = """
extern void esp_panic(const char *cause, uint32_t pc, uint32_t sp);
void firmware_main(void)
{
    port_delay_ms(50);
    say("Guru Meditation Error: Core  0 panic'ed (LoadStorePIFAddrError). ");
    say("Exception was unhandled.\\r\\n");
    say("EXCVADDR: 0x3ff5e000  LBEG    : 0x00000000\\r\\n");
    esp_panic("abort", 0x400d1234, 0x3ffb0000);
}
"""


# What a bootloader does that finds nothing to boot, in ESP-IDF's words.
REFUSES = """
extern void esp_panic(const char *cause, uint32_t pc, uint32_t sp);
void firmware_main(void)
{
    say("E (65) boot: No bootable app partitions in the partition table\\r\\n");
    esp_panic("abort", 0x400d1234, 0x3ffb0000);
}
"""


@pytest.fixture
def freertos(workshop: Workshop, tmp_path: Path) -> FirmwareImage:
    """Bare firmware whose names are FreeRTOS'."""
    skip_unless_installed("qemu-esp32")
    image = workshop.image("qemu-esp32", TICKS_AT_100_HZ)
    elf_path = tmp_path / image.elf_path.name
    words = [f"--redefine-sym={old}={new}" for old, new in RENAMED.items()]
    subprocess.run(
        ["xtensa-lx106-elf-objcopy", *words, image.elf_path, elf_path],
        check=True,
        timeout=60,
    )
    return replace(image, elf_path=elf_path)


def configured(image: FirmwareImage, folder: Path, hz: int) -> FirmwareImage:
    path = folder / "sdkconfig.json"
    path.write_text(json.dumps({"FREERTOS_HZ": hz}))
    return replace(image, artifacts={**image.artifacts, path.name: path})


def test_the_tick_is_what_the_chips_own_timer_is_set_to(
    workshop: Workshop, freertos: FirmwareImage, tmp_path: Path
) -> None:
    spec = workshop.spec("qemu-esp32")
    board = workshop.boot_image(spec, freertos)
    board.advance(1000)
    assert board.notes == ("its tick is taken for 100 Hz (the chip's own timer)",)
    board = workshop.boot_image(spec, configured(freertos, tmp_path, 100))
    assert "sdkconfig.json and the chip's own timer" in board.notes[0]


def test_a_build_that_says_another_rate_is_refused(
    workshop: Workshop, freertos: FirmwareImage, tmp_path: Path
) -> None:
    # it would be a clock that is wrong by ten
    with pytest.raises(ConfigError, match=r"100 Hz, but sdkconfig\.json says 1000 Hz"):
        workshop.boot_image(
            workshop.spec("qemu-esp32"), configured(freertos, tmp_path, 1000)
        )


def test_a_console_on_usb_is_said(
    workshop: Workshop, freertos: FirmwareImage, tmp_path: Path
) -> None:
    path = tmp_path / "sdkconfig.json"
    path.write_text(json.dumps({"ESP_CONSOLE_USB_SERIAL_JTAG": True}))
    image = replace(freertos, artifacts={**freertos.artifacts, path.name: path})
    board = workshop.boot_image(workshop.spec("qemu-esp32"), image)
    assert any("its console is the chip's own USB" in note for note in board.notes)


def test_a_peripheral_that_is_not_modelled_is_no_fault_of_the_firmwares(
    workshop: Workshop,
) -> None:
    skip_unless_installed("qemu-esp32")
    board = workshop.boot("qemu-esp32", DIES_OF_MCPWM)
    with pytest.raises(NotSupported, match=r"uses MCPWM0 .*does not model"):
        board.advance(1000)
    assert any("MCPWM0" in note for note in board.notes)


def test_a_bootloader_that_finds_nothing_to_boot_is_quoted(workshop: Workshop) -> None:
    skip_unless_installed("qemu-esp32")
    board = workshop.boot("qemu-esp32", REFUSES)
    words = r"cannot boot .* says: boot: No bootable app partitions in the partition"
    with pytest.raises(FirmwareReset, match=words):
        board.advance(10)


def test_an_image_that_cannot_boot_is_refused_before_it_runs(
    workshop: Workshop, tmp_path: Path
) -> None:
    skip_unless_installed("qemu-esp32c3")
    image = workshop.image("qemu-esp32")
    moved = {**image.metadata, "application_offset": "0x0"}
    spec = workshop.spec("qemu-esp32c3")
    with pytest.raises(ConfigError, match=r"made for esp32 \(chip id 0\), but this"):
        workshop.boot_image(spec, replace(image, metadata=moved))
    cut = tmp_path / "firmware.bin"
    whole = image.artifacts["firmware.bin"].read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=r"firmware\.bin: is cut short"):
        workshop.boot_image(
            workshop.spec("qemu-esp32"),
            replace(image, artifacts={**image.artifacts, "firmware.bin": cut}),
        )
