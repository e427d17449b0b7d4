"""STM32 firmware on mainline QEMU: exact time, honest faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.errors import (
    ConfigError,
    FirmwareFault,
    FirmwareSpin,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.model import Chunk, FirmwareImage, Level
from pytest_embedbench.testing import check_engine
from tests.e2e.qemu_boards import Workshop, built, needs, said, workshop

__all__ = ["built", "workshop"]

NAME = "qemu-stm32f405"
ENVIRONMENT = "qemu_stm32"
BOOT_LINES = [b"DBG BOOTED\n", b"ACT PUMP OFF\n", b"DBG STATE SAFE_OFF\n"]
ON = [b"ACT PUMP ON\n", b"DBG STATE PUMPING\n"]

pytestmark = pytest.mark.usefixtures("qemu_arm")


@pytest.fixture
def qemu_arm() -> None:
    needs(NAME)


@pytest.fixture
def tank(workshop: Workshop) -> QemuBoard:
    return workshop.boot(workshop.spec(NAME), workshop.image(ENVIRONMENT))


def running(workshop: Workshop, program: str, **options: int | str) -> QemuBoard:
    image = workshop.image(ENVIRONMENT, program)
    return workshop.boot(workshop.spec(NAME, **options), image)


def test_it_keeps_the_contract(workshop: Workshop) -> None:
    engine = workshop.registry.engine("qemu-arm")
    check_engine(engine, workshop.spec(NAME), workshop.image(ENVIRONMENT))


def test_boot_lines_are_not_lost(tank: QemuBoard) -> None:
    # U14: what was said before anybody listened
    assert said(tank) == [Chunk(0, line) for line in BOOT_LINES]


def test_a_frame_is_answered_after_the_read_wait(tank: QemuBoard) -> None:
    said(tank)
    tank.advance(100)
    tank.link().send(b"SENSE LEVEL 20\n")
    tank.advance(50)
    assert said(tank) == []
    tank.advance(30)
    answer = said(tank)
    assert [chunk.data for chunk in answer] == ON
    assert {chunk.at_us for chunk in answer} <= {160_000, 170_000}


def test_a_burst_of_a_thousand_bytes_loses_none(tank: QemuBoard) -> None:
    # E11: the UART holds one byte; the rest wait outside
    said(tank)
    tank.link().send(b"x" * 128 * 8 + b"SENSE LEVEL 20\n")
    tank.advance(300)
    lines = [chunk.data for chunk in said(tank)]
    assert lines == [b"DBG RX_LINE_TOO_LONG\n"] * 8 + ON
    assert tank.notes == ()


def test_time_passes_exactly_also_in_parts_of_a_tick(tank: QemuBoard) -> None:
    for duration_ms in (3, 4, 3, 1, 9, 2):
        before_us = tank.now_us()
        tank.advance(duration_ms)
        assert tank.now_us() == before_us + duration_ms * 1000


def test_parts_of_a_tick_give_the_same_stamps_as_whole_ones(
    workshop: Workshop,
) -> None:
    def stamps(step_ms: int) -> list[Chunk]:
        board = workshop.boot(workshop.spec(NAME), workshop.image(ENVIRONMENT))
        board.link().send(b"SENSE LEVEL 20\n")
        chunks: list[Chunk] = []
        for _ in range(2100 // step_ms):
            board.advance(step_ms)
            chunks += said(board)
        return chunks

    assert stamps(3) == stamps(7) == stamps(2100)


def test_the_same_run_gives_the_same_bytes_and_stamps(workshop: Workshop) -> None:
    # E8, E9
    def transcript() -> list[Chunk]:
        board = workshop.boot(workshop.spec(NAME), workshop.image(ENVIRONMENT))
        for level in range(20, 90, 7):
            board.link().send(b"SENSE LEVEL %d\n" % level)
            board.advance(100)
        return said(board)

    first = transcript()
    assert all(transcript() == first for _ in range(4))


def test_a_reset_starts_the_firmware_over_and_time_goes_on(tank: QemuBoard) -> None:
    tank.advance(95)
    said(tank)
    tank.reset()
    assert tank.now_us() == 95_000
    assert said(tank) == [Chunk(95_000, line) for line in BOOT_LINES]
    tank.link().send(b"SENSE LEVEL 20\n")
    tank.advance(100)
    assert [chunk.data for chunk in said(tank)] == ON


def test_what_the_model_lacks_is_said(tank: QemuBoard) -> None:
    with pytest.raises(NotSupported, match="no pins"):
        tank.drive_pin("PA5", Level.HIGH)
    with pytest.raises(NotSupported, match="no pins"):
        tank.set_analog("PA0", 1000)
    with pytest.raises(NotSupported, match="no pins"):
        tank.pin_trace()
    with pytest.raises(UnknownName, match="usart2"):
        tank.link("uart0")


def test_a_firmware_that_stops_its_tick_is_stuck_by_name(workshop: Workshop) -> None:
    program = """
    __attribute__((noinline)) static void forever(void)
    {
        __asm volatile("cpsid i");
        for (;;) {}
    }
    void firmware_main(void)
    {
        say("soon\\n");
        port_delay_ms(50);
        forever();
    }
    """
    board = running(workshop, program, cpu_limit_ms=300)
    with pytest.raises(FirmwareSpin, match=r"in (forever|firmware_main)\+"):
        board.advance(1000)
    assert said(board) == [Chunk(0, b"soon\n")]
    with pytest.raises(FirmwareSpin):
        board.advance(10)


def test_a_fault_in_the_fault_handler_is_a_crash(workshop: Workshop) -> None:
    program = """
    void firmware_main(void)
    {
        say("soon\\n");
        port_delay_ms(20);
        __asm volatile("msr msp, %0" :: "r"(0x1000));
        *(volatile int *)0xFFFFFFF0 = 1;
    }
    """
    board = running(workshop, program, cpu_limit_ms=300)
    with pytest.raises(FirmwareFault):
        board.advance(1000)
    assert said(board) == [Chunk(0, b"soon\n")]


def test_a_breakpoint_instruction_is_a_crash(workshop: Workshop) -> None:
    program = """
    void firmware_main(void)
    {
        port_delay_ms(20);
        __asm volatile("bkpt 0");
    }
    """
    board = running(workshop, program, cpu_limit_ms=300)
    with pytest.raises(FirmwareFault):
        board.advance(1000)


def test_firmware_without_a_clock_is_refused(
    tmp_path: Path, workshop: Workshop
) -> None:
    image = workshop.image(ENVIRONMENT)
    spec = workshop.spec(NAME, sync_symbol="nothing_of_the_kind")
    with pytest.raises(ConfigError, match="sync_symbol"):
        workshop.boot(spec, image)
    text = tmp_path / "firmware.elf"
    text.write_text("no ELF")
    with pytest.raises(FirmwareFault, match="not a readable ELF"):
        workshop.boot(
            workshop.spec(NAME),
            FirmwareImage(environment="", elf_path=text, sha256="", key=""),
        )


def test_a_function_that_is_called_at_a_fixed_rate_is_a_clock(
    workshop: Workshop,
) -> None:
    program = """
    __attribute__((noinline, used)) void sync(void)
    {
        __asm volatile("" ::: "memory");
    }
    void firmware_main(void)
    {
        for (;;) {
            port_delay_ms(100);
            sync();
            say("beat\\n");
        }
    }
    """
    board = running(workshop, program, sync_symbol="sync", sync_period_us=100_000)
    board.advance(1000)
    stamps = [chunk.at_us for chunk in said(board)]
    assert stamps == list(range(100_000, 1_000_001, 100_000))


def test_an_unknown_option_is_named(workshop: Workshop) -> None:
    with pytest.raises(ConfigError, match=r"options\.flash_mb: unknown"):
        workshop.boot(workshop.spec(NAME, flash_mb=4), workshop.image(ENVIRONMENT))
    with pytest.raises(ConfigError, match=r"options\.grace_ms: must be of type int"):
        workshop.boot(workshop.spec(NAME, grace_ms="x"), workshop.image(ENVIRONMENT))
