"""Firmware that goes wrong on simavr, and a simulator that does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import processes
from pytest_embedbench.builders.prebuilt import PrebuiltImage
from pytest_embedbench.engines.simavr import Simavr
from pytest_embedbench.errors import (
    BenchFault,
    BoardLost,
    ConfigError,
    DoesNotFit,
    FirmwareCrash,
    FirmwareFault,
    FirmwareReset,
    FirmwareStuck,
)
from pytest_embedbench.model import FirmwareImage, Level, PinSpec, UartSpec
from pytest_embedbench.processes.time_budget import TimeBudget
from pytest_embedbench.support.projects import prebuilt_source
from tests.e2e.avr_firmware import (
    avr_gcc,
    avr_image,
    board_spec,
    boot,
    killed_bench,
    simavr,
)

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr import SimavrBoard
    from pytest_embedbench.processes.time_budget import TimeBudget
from tests.e2e.avr_firmware import Boot, Build

__all__ = ["avr_image", "boot", "simavr"]


def heard(board: SimavrBoard) -> bytes:
    return b"".join(chunk.data for chunk in board.link().receive())


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("JUMP_OUT", FirmwareCrash, r"ran out of its flash at 0x8000"),
        ("BAD_ADDRESS", FirmwareCrash, r"used address 0xf000, .* at 0x\w+ \(fail\+"),
        ("BAD_OPCODE", FirmwareCrash, r"no valid instruction at 0x\w+ \(fail\+"),
        ("DEEP_STACK", FirmwareCrash, r"grown out of RAM at 0x\w+ \(recurse"),
        ("NULL_CALL", FirmwareReset, r"jumped to address 0.*leads to 0x\w+ \(fail\+"),
        ("NO_HANDLER", FirmwareReset, r"jumped to address 0.*leads to 0x\w+ \(hang"),
        ("WATCHDOG", FirmwareReset, r"reset by its watchdog.* at 0x\w+ \(hang"),
        ("SLEEP_FOREVER", FirmwareStuck, r"sleep with interrupts off.*\(fail\+"),
    ],
)
def test_a_fault_is_named_with_its_place_and_time(
    boot: Boot, fault: str, error: type[FirmwareFault], words: str
) -> None:
    board = boot("faults", f"-DFAULT={fault}")
    with pytest.raises(error, match=rf"uno: at [2-9]\d\.\d+ ms the firmware .*{words}"):
        board.advance(1_000)
    assert heard(board) == b"BOOT 1\n"
    assert 20_000 < board.now_us() < 100_000
    with pytest.raises(error):
        board.advance(1)


def test_the_reset_button_forgives_a_crash(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=NULL_CALL")
    with pytest.raises(FirmwareReset):
        board.advance(100)
    board.reset()
    board.advance(10)
    assert heard(board) == b"BOOT 1\nBOOT 2\n"


def test_of_a_firmware_that_spins_it_can_be_said_where(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=SPIN")
    board.advance(500)
    assert re.fullmatch(r"the firmware is at 0x\w+ \(hang(\+0x\d)?\)", board.position)


@pytest.mark.parametrize("fault", ["SPIN", "SILENCE"])
def test_time_passes_for_a_firmware_that_spins_or_never_speaks(
    boot: Boot, fault: str
) -> None:
    board = boot("faults", f"-DFAULT={fault}")
    board.advance(500)
    assert board.now_us() == 500_000


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("ABORT", r"exit\(\) or abort\(\); the stack leads to 0x\w+ \((fail|main)\+"),
        ("EXIT", r"exit\(\) or abort\(\); the stack leads to 0x\w+ \((fail|main)\+"),
        ("RETURN", r"it returned from main\(\)"),
    ],
)
def test_a_firmware_that_has_ended_is_a_fault_after_its_last_byte(
    boot: Boot, fault: str, words: str
) -> None:
    board = boot("faults", f"-DFAULT={fault}")
    with pytest.raises(
        FirmwareStuck, match=rf"2\d\.\d+ ms the firmware has ended.*{words}"
    ):
        board.advance(1_000)
    assert heard(board) == b"BOOT 1\n" + (b"bye\n" if fault == "EXIT" else b"")
    ended_us = board.now_us()
    board.reset()
    with pytest.raises(FirmwareStuck, match="has ended"):
        board.advance(1_000)
    assert board.now_us() - ended_us == pytest.approx(ended_us, abs=5)


def run_to_its_end(board: SimavrBoard, step_ms: int) -> None:
    for _ in range(1_000):
        board.advance(step_ms)


def test_when_a_firmware_has_ended_does_not_depend_on_steps(boot: Boot) -> None:
    ends_us: set[int] = set()
    for step_ms in (1, 7, 1_000):
        board = boot("faults", "-DFAULT=EXIT")
        with pytest.raises(FirmwareStuck):
            run_to_its_end(board, step_ms)
        ends_us.add(board.now_us())
    assert len(ends_us) == 1


def test_an_end_that_the_watchdog_is_to_end_is_its_reset(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=ABORT_WATCHED")
    with pytest.raises(FirmwareReset, match="reset by its watchdog"):
        board.advance(1_000)


def test_a_loop_without_interrupts_is_noted_while_its_hardware_goes_on(
    boot: Boot,
) -> None:
    board = boot("faults", "-DFAULT=CLI_LOOP")
    board.advance(10)
    assert not board.notes
    board.advance(20)
    board.advance(20)
    (note,) = board.notes
    assert note.startswith("the firmware has ended: it jumps on the spot")


def test_a_watchdog_reset_may_be_allowed_and_is_noted(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=WATCHDOG", allow_resets=True)
    board.drive_pin("D8", Level.HIGH)
    board.advance(100)
    assert heard(board) == b"BOOT 1\nBOOT 8\n"
    assert board.now_us() == 100_000
    (note,) = board.notes
    assert note.startswith("the watchdog reset the firmware at 3")


def test_pins_and_uart_work_on_after_a_watchdog_reset(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=WATCHDOG", allow_resets=True)
    board.drive_pin("D8", Level.HIGH)
    board.advance(50)
    heard(board)
    board.link().send(b"hello\n")
    board.advance(10)
    assert heard(board) == b"hello\nPIN 1\n"
    board.drive_pin("D8", Level.LOW)
    board.link().send(b"\n")
    board.advance(10)
    assert heard(board) == b"\nPIN 0\n"


def test_a_firmware_that_reboots_for_ever_still_gives_back_control(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=REBOOT_LOOP", allow_resets=True)
    board.advance(6_000)
    resets = heard(board).count(b"BOOT 8\n")
    assert resets > 120
    assert len(board.notes) == 101
    assert board.notes[-1] == f"and {resets - 100} more notes"


def image_of(path: Path) -> FirmwareImage:
    return FirmwareImage(environment="uno", elf_path=path, sha256="", key="")


def test_a_firmware_too_big_for_the_flash_is_told_both_sizes(
    avr_image: Build,
) -> None:
    big = avr_image("line", "-Wl,--section-start=.fill=0x8000", "-DFILL", board="mega")
    with pytest.raises(DoesNotFit, match=r"needs \d+ bytes of flash, .* has 32768"):
        Simavr().boot(board_spec("uno"), big)


def test_a_hex_has_its_names_from_the_elf_file_of_its_build_beside_it(
    avr_image: Build, tmp_path: Path
) -> None:
    image = avr_image("faults", "-DFAULT=SPIN")
    elf = Path(shutil.copy(image.elf_path, tmp_path / "firmware.elf"))
    path = tmp_path / "firmware.hex"
    objcopy = avr_gcc().with_name("avr-objcopy")
    words = [str(objcopy), "-O", "ihex", "-R", ".eeprom", str(elf), str(path)]
    subprocess.run(words, check=True, timeout=60)

    board = Simavr().boot(board_spec("uno"), prebuilt(path))
    board.advance(500)
    assert "(hang" in board.position
    board.close()
    shutil.copy(avr_image("line").elf_path, elf)
    with pytest.raises(FirmwareFault, match=r"another build than firmware\.elf beside"):
        Simavr().boot(board_spec("uno"), prebuilt(path))


def prebuilt(path: Path) -> FirmwareImage:
    return PrebuiltImage().build(prebuilt_source(path), path.parent / "out")


def test_a_firmware_file_that_is_cut_short_is_not_run(
    avr_image: Build, tmp_path: Path
) -> None:
    whole = avr_image("line").elf_path.read_bytes()
    part = tmp_path / "firmware.elf"
    part.write_bytes(whole[:500])
    with pytest.raises(FirmwareFault, match=r"firmware\.elf: is cut short"):
        Simavr().boot(board_spec("uno"), image_of(part))


def test_what_is_no_avr_program_never_reaches_the_simulator(
    tmp_path: Path,
) -> None:
    text = tmp_path / "firmware.elf"
    text.write_text(":100000000C9434000C943E000C943E000C943E0082\n")
    with pytest.raises(FirmwareFault, match=r"firmware\.elf: is not an ELF file"):
        Simavr().boot(board_spec("uno"), image_of(text))
    with pytest.raises(FirmwareFault, match=r"is a program for EM_.*, not for an AVR"):
        Simavr().boot(board_spec("uno"), image_of(Path("/proc/self/exe")))
    with pytest.raises(BenchFault, match="cannot be read"):
        Simavr().boot(board_spec("uno"), image_of(tmp_path / "nowhere.elf"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_simulator_that_dies_is_the_benchs_loss(
    boot: Boot, number: signal.Signals
) -> None:
    board = boot("line")
    board.advance(10)
    os.kill(board.child_pid, number)
    with pytest.raises(BoardLost, match=f"uno: simavr's process .*{number.name}"):
        board.advance(100)
    assert heard(board) == b"BOOT\n"


def test_a_simulator_that_does_not_come_back_is_ended(boot: Boot) -> None:
    impatient = Simavr(budget=TimeBudget(cpu_s=0.5), cpu_s_per_s=0.0)
    board = boot("faults", "-DFAULT=SPIN", engine=impatient)
    with pytest.raises(BenchFault, match="uno: simavr did not come back after"):
        board.advance(10_000_000)
    assert processes.wait_gone(board.child_pid, budget_s=2)
    with pytest.raises(BoardLost, match="interrupted"):
        board.advance(1)


def test_a_simulator_that_is_stopped_is_ended(boot: Boot) -> None:
    board = boot("line", engine=Simavr(budget=TimeBudget(idle_s=0.5)))
    os.kill(board.child_pid, signal.SIGSTOP)
    with pytest.raises(BenchFault, match=r"uno: simavr .* has not run at all"):
        board.advance(1)


def test_closing_leaves_no_process(boot: Boot) -> None:
    # E2
    board = boot("line")
    pid = board.child_pid
    board.close()
    assert processes.wait_gone(pid, budget_s=0)
    with pytest.raises(BoardLost, match="closed"):
        board.advance(1)


def test_boards_come_and_go_without_using_up_file_descriptors(boot: Boot) -> None:
    # U17
    boot("line").close()
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        boot("line").close()
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


@pytest.mark.parametrize("library", ["libsimavr.so.999", "libc.so.6"])
def test_a_missing_or_wrong_library_says_how_to_get_the_right_one(library: str) -> None:
    missing = Simavr(library=library).missing()
    assert missing is not None
    assert f"simavr needs {library} of simavr 1.6 or 1.7" in str(missing)
    assert "sudo apt-get install libsimavr2" in str(missing)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mcu": "attiny85"}, r"uno: mcu 'attiny85' .* known: atmega1284, .*2560"),
        (
            {"options": {"speed": 3}},
            r"options\.speed: unknown key; .* allow_resets, bootloader, .*, vcc_mv",
        ),
        ({"options": {"vcc_mv": True}}, r"options\.vcc_mv: must be a whole number"),
        ({"options": {"allow_resets": 1}}, r"allow_resets: must be true or false"),
    ],
)
def test_a_board_that_cannot_be_is_refused_by_name(
    avr_image: Build, changes: dict[str, object], words: str
) -> None:
    spec = replace(board_spec("uno"), **changes)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=words):
        Simavr().boot(spec, avr_image("line"))


def test_a_pin_that_the_mcu_does_not_have_is_refused(avr_image: Build) -> None:
    pins = {"D1": PinSpec(name="D1", port="PA1")}
    spec = replace(board_spec("uno"), pins=pins)
    with pytest.raises(ConfigError, match=r"uno: pins\.D1\.port: .* no 'PA1'"):
        Simavr().boot(spec, avr_image("line"))


def test_a_uart_that_the_mcu_does_not_have_is_refused(avr_image: Build) -> None:
    spec = replace(board_spec("uno"), uarts=(UartSpec(name="serial1", baud_bps=9600),))
    with pytest.raises(ConfigError, match=r"uno: uarts\.serial1: .* has: serial0"):
        Simavr().boot(spec, avr_image("line"))


@pytest.mark.usefixtures("simavr")
def test_the_simulator_dies_with_a_bench_that_is_killed(avr_image: Build) -> None:
    # E2
    simulator = killed_bench("Simavr().boot(uno, image)", avr_image("line").elf_path)
    assert processes.wait_gone(simulator, budget_s=2)
