"""Bare-metal firmware on QEMU boards: exact time, honest faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import capabilities_of
from pytest_embedbench.engines.qemu import QemuBoard
from pytest_embedbench.errors import (
    ConfigError,
    FirmwareFault,
    FirmwareReset,
    FirmwareSpin,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.model import Capability, Chunk, FirmwareImage, Level
from pytest_embedbench.testing import check_engine
from tests.e2e.qemu_boards import (
    ENVIRONMENTS,
    Workshop,
    built,
    lines,
    said,
    skip_unless_installed,
    workshop,
)

__all__ = ["built", "workshop"]

BOOT_LINES = [b"DBG BOOTED\n", b"ACT PUMP OFF\n", b"DBG STATE SAFE_OFF\n"]
ON = [b"ACT PUMP ON\n", b"DBG STATE PUMPING\n"]
HEARTBEAT = b"DBG HEARTBEAT\n"
ESP_CHIPS = ("qemu-esp32", "qemu-esp32c3")
FALL_ASLEEP = "for (;;) port_delay_ms(1000);"


@pytest.fixture(params=ENVIRONMENTS)
def name(request: pytest.FixtureRequest) -> str:
    board: str = request.param
    skip_unless_installed(board)
    return board


@pytest.fixture(params=ESP_CHIPS)
def esp(request: pytest.FixtureRequest) -> str:
    board: str = request.param
    skip_unless_installed(board)
    return board


@pytest.fixture
def tank(workshop: Workshop, name: str) -> QemuBoard:
    """The reference solution, booted, its boot output read."""
    board = workshop.boot(name)
    lines(board)
    return board


# ----------------------------------------------------------------------------- time
def test_it_keeps_the_contract(workshop: Workshop, name: str) -> None:
    spec = workshop.spec(name)
    check_engine(workshop.registry.engine(spec.engine), spec, workshop.image(name))


def test_what_is_said_before_anybody_listens_is_not_lost(
    workshop: Workshop, name: str
) -> None:
    # U14
    board = workshop.boot(name)
    assert lines(board) == BOOT_LINES
    assert board.now_us() == 0


def test_time_passes_exactly_also_in_parts_of_a_tick(tank: QemuBoard) -> None:
    for duration_ms in (3, 4, 3, 1, 9, 2):
        before_us = tank.now_us()
        tank.advance(duration_ms)
        assert tank.now_us() == before_us + duration_ms * 1000


def test_how_time_is_cut_into_steps_does_not_matter(
    workshop: Workshop, name: str
) -> None:
    def heard(step_ms: int) -> list[Chunk]:
        board = workshop.boot(name)
        board.link().send(b"SENSE LEVEL 20\n")
        chunks: list[Chunk] = []
        for _ in range(1050 // step_ms):
            board.advance(step_ms)
            chunks += said(board)
        return chunks

    assert heard(3) == heard(7) == heard(1050)


def test_the_same_run_gives_the_same_bytes_and_stamps(
    workshop: Workshop, name: str
) -> None:
    # E7, E8, E9: time is the guest's own, however fast it runs here
    def transcript() -> list[Chunk]:
        board = workshop.boot(name)
        for level in range(20, 90, 7):
            board.link().send(b"SENSE LEVEL %d\n" % level)
            board.advance(100)
        return said(board)

    first = transcript()
    assert len(first) > 20
    assert all(transcript() == first for _ in range(3))


def test_a_frame_is_answered_one_read_wait_later(tank: QemuBoard) -> None:
    tank.advance(100)
    tank.link().send(b"SENSE LEVEL 20\n")
    tank.advance(50)
    assert said(tank) == []
    tank.advance(10)
    assert said(tank) == [Chunk(160_000, line) for line in ON]


def test_a_stale_level_is_noticed_in_time(tank: QemuBoard) -> None:
    tank.link().send(b"SENSE LEVEL 20\n")
    tank.advance(1050)
    lines(tank)
    tank.advance(100)
    off = [chunk for chunk in said(tank) if chunk.data != HEARTBEAT]
    assert [chunk.data for chunk in off] == BOOT_LINES[1:]
    assert 1_000_000 < off[0].at_us <= 1_150_000


def test_a_burst_of_a_thousand_bytes_loses_none(tank: QemuBoard) -> None:
    # E11
    tank.link().send(b"x" * 128 * 8 + b"SENSE LEVEL 20\n")
    tank.advance(300)
    assert lines(tank) == [b"DBG RX_LINE_TOO_LONG\n"] * 8 + ON
    assert tank.notes == ()


def test_a_firmware_that_talks_fast_does_not_wait_for_us(
    workshop: Workshop, name: str
) -> None:
    # more than any socket would hold, in a few of its ticks
    program = """
    void firmware_main(void)
    {
        for (;;) {
            uint32_t before_ms = port_now_ms();
            for (int i = 0; i < 2000; i++) say("x");
            say(port_now_ms() - before_ms <= 50 ? "quick\\n" : "slow\\n");
            port_delay_ms(100);
        }
    }
    """
    board = workshop.boot(name, program)
    board.advance(1000)
    spoken = b"".join(lines(board)).splitlines()
    assert len(spoken) >= 6
    assert set(spoken[:-1]) == {b"x" * 2000 + b"quick"}


def test_a_reset_starts_the_firmware_over_and_time_goes_on(tank: QemuBoard) -> None:
    tank.advance(95)
    tank.reset()
    assert tank.now_us() == 95_000
    assert said(tank) == []
    tank.link().send(b"SENSE LEVEL 20\n")
    tank.advance(1)
    assert lines(tank) == BOOT_LINES
    tank.advance(99)
    assert said(tank) == [Chunk(155_000, line) for line in ON]


def test_a_function_that_is_called_at_a_fixed_rate_is_a_clock(
    workshop: Workshop, name: str
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
    board = workshop.boot(name, program, sync_symbol="sync", sync_period_us=100_000)
    board.advance(1000)
    stamps = [chunk.at_us for chunk in said(board) if chunk.data == b"beat\n"]
    assert stamps == list(range(100_000, 1_000_001, 100_000))


# ------------------------------------------------------------------------ real time
def test_without_lockstep_time_is_ours_and_nothing_is_exact(
    workshop: Workshop, name: str
) -> None:
    board = workshop.boot(name, lockstep=False)
    assert Capability.VIRTUAL_TIME not in capabilities_of(board)
    assert any("real time" in note for note in board.notes)
    heard = b""

    def hear_until(text: bytes) -> None:
        nonlocal heard
        while text not in heard and board.now_us() < 60_000_000:
            before_us = board.now_us()
            board.advance(100)
            assert board.now_us() >= before_us + 100_000
            heard += b"".join(chunk.data for chunk in said(board))
        assert text in heard

    hear_until(b"".join(BOOT_LINES))
    board.link().send(b"SENSE LEVEL 20\n")
    hear_until(b"".join(ON))
    board.reset()
    board.advance(10)


# --------------------------------------------------------------------------- faults
def test_a_firmware_that_stops_its_tick_is_stuck_by_name(
    workshop: Workshop, name: str
) -> None:
    program = """
    extern uint32_t chip_mask_interrupts(void);
    __attribute__((noinline)) void forever(void)
    {
        chip_mask_interrupts();
        for (;;) __asm volatile("");
    }
    void firmware_main(void)
    {
        say("soon\\n");
        port_delay_ms(50);
        forever();
    }
    """
    board = workshop.boot(name, program, cpu_limit_ms=300)
    with pytest.raises(FirmwareSpin, match=r"in forever\+"):
        board.advance(1000)
    assert lines(board) == [b"soon\n"]
    with pytest.raises(FirmwareSpin):
        board.advance(10)


def test_a_bad_access_is_a_crash_or_a_restart(workshop: Workshop, name: str) -> None:
    program = """
    void firmware_main(void)
    {
        port_delay_ms(20);
        say("soon\\n");
        ((void (*)(void))0x00000004)();
        %s
    }
    """
    board = workshop.boot(name, program.replace("%s", FALL_ASLEEP), cpu_limit_ms=300)
    with pytest.raises(FirmwareFault):
        board.advance(1000)
    assert b"soon\n" in lines(board)


def test_an_esp_that_restarts_says_why(workshop: Workshop, esp: str) -> None:
    # E10: whose reset it was stands in the message, and what a slow core may have done
    program = """
    extern void esp_panic(const char *cause, uint32_t pc, uint32_t sp);
    void firmware_main(void)
    {
        port_delay_ms(200);
        esp_panic("Interrupt wdt timeout on CPU0", 0x400d1234, 0x3ffb0000);
    }
    """
    board = workshop.boot(esp, program)
    with pytest.raises(
        FirmwareReset, match=r"restarted by itself, \w+ \(at 0\.\d+ s\)"
    ):
        board.advance(1000)
    heard = b"".join(chunk.data for chunk in said(board))
    assert b"Guru Meditation Error" in heard
    assert any("emulator speed" in note for note in board.notes)
    board.reset()
    board.advance(100)


def test_an_esp_that_crashes_before_its_first_tick_is_heard(
    workshop: Workshop, esp: str
) -> None:
    # X8: it would restart for ever
    program = """
    extern void esp_panic(const char *cause, uint32_t pc, uint32_t sp);
    void firmware_main(void)
    {
        esp_panic("LoadProhibited", 0x400d1234, 0x3ffb0000);
    }
    """
    board = workshop.boot(esp, program)
    with pytest.raises(FirmwareReset, match="at boot"):
        board.advance(10)
    assert b"Guru Meditation Error" in b"".join(chunk.data for chunk in said(board))


def test_a_breakpoint_instruction_is_no_tick(workshop: Workshop, name: str) -> None:
    instruction = {"qemu-esp32": "break 1, 15", "qemu-esp32c3": "ebreak"}
    program = """
    void firmware_main(void)
    {
        port_delay_ms(20);
        __asm volatile("%s");
        for (;;) port_delay_ms(1000);
    }
    """.replace("%s", instruction.get(name, "bkpt 0"))
    board = workshop.boot(name, program, cpu_limit_ms=300)
    with pytest.raises(FirmwareFault):
        board.advance(1000)


# -------------------------------------------------------------------------- refusals
def test_what_the_model_lacks_is_said(tank: QemuBoard) -> None:
    board = under_test(tank)
    with pytest.raises(NotSupported, match="no pins"):
        board.drive_pin("PA5", Level.HIGH)
    with pytest.raises(NotSupported, match="no pins"):
        board.set_analog("PA0", 1000)
    with pytest.raises(NotSupported, match="no pins"):
        board.pin_trace()
    with pytest.raises(UnknownName, match="known uarts"):
        tank.link("uart7")


def test_firmware_without_a_clock_is_refused(
    workshop: Workshop, name: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="sync_symbol"):
        workshop.boot(name, sync_symbol="nothing_of_the_kind")
    text = tmp_path / "firmware.elf"
    text.write_text("no ELF")
    built_for = workshop.image(name)
    image = FirmwareImage(
        environment="",
        elf_path=text,
        sha256="",
        key="",
        artifacts=built_for.artifacts,
        metadata=built_for.metadata,
    )
    with pytest.raises(FirmwareFault, match="not a readable ELF"):
        workshop.boot_image(workshop.spec(name), image)


def test_an_unknown_option_is_named(workshop: Workshop, name: str) -> None:
    with pytest.raises(ConfigError, match=r"options\.leaps: unknown"):
        workshop.boot(name, leaps=4)
    with pytest.raises(ConfigError, match=r"options\.grace_ms: must be a whole number"):
        workshop.boot(name, grace_ms="x")
