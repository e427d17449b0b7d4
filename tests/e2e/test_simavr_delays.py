"""Leaping over ``delay()`` and bytes of SPI and TWI changes no byte, edge or time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.engines.simavr.avr_program import read_program
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.model import FirmwareImage
from tests.e2e.avr_firmware import MCUS as BOARDS, avr_gcc, board_spec, simavr

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr import Simavr
    from pytest_embedbench.model import PinTrace

    Sketch = Callable[..., FirmwareImage]
    Seen = tuple[list[tuple[int, bytes]], PinTrace, int]

__all__ = ["simavr"]

ARDUINO = Path("/usr/share/arduino/hardware/arduino/avr")
SKETCHES = Path(__file__).parent / "firmware_arduino" / "delays.cpp"
NAMES = (
    "BLINK",
    "UNEVEN",
    "SHORT_WAITS",
    "FAST_ISR",
    "SERVO",
    "MILLIS",
    "ANALOG",
    "PIN_CHANGE",
    "WATCHDOG",
    "SLEEPS",
    "PWM",
    "IN_MICROS",
    "OWN_YIELD",
    "DELAY_US",
    "TONE",
    "ECHO",
    "MASKED",
    "SPI_BYTES",
)
TWI_NAMES = ("TWI_BYTES", "TWI_NESTED", "TWI_POLLED")
RUN_MS = 501

FLAGS = "-Os -w -DARDUINO=10819 -ffunction-sections -fdata-sections"
# Counts the leaps in 100 ms.
LEAPS = """
import sys
from pytest_embedbench.engines.simavr.core.delay_loop import DelayLoop
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.avr_in_child import AvrInChild
from pytest_embedbench.engines.simavr.core.ram_poll import RamPoll
from pytest_embedbench.engines.simavr.core.spi_poll import SpiPoll
cpu_hz = int(sys.argv[4])
machine = AvrMachine(sys.argv[1], sys.argv[2], cpu_hz, 5_000)
board = AvrInChild(machine, [(0, 115200, False)])
rounds, leapt = DelayLoop._rounds, []
def counted(*arguments):
    leapt.append(rounds(*arguments))
    return leapt[-1]
DelayLoop._rounds = counted
DelayLoop(machine)
def count(poll):
    skip = poll.skip
    def counted_skip(*arguments):
        leapt.append(skip(*arguments))
        return leapt[-1]
    poll.skip = counted_skip
    return poll(machine)
board.spi.poll = count(SpiPoll)
board.twi.poll = count(RamPoll)
machine.load(eval(sys.argv[3]))
machine.run_until(cpu_hz // 10)
print(sum(max(0, each) for each in leapt))
"""


@pytest.fixture(scope="session")
def sketch(tmp_path_factory: pytest.TempPathFactory) -> Sketch:
    """Return a function that builds a sketch of ``delays.cpp`` with Arduino's core."""
    core = ARDUINO / "cores" / "arduino"
    if not core.is_dir():
        pytest.skip("no Arduino core: sudo apt-get install arduino-core-avr")
    folder = tmp_path_factory.mktemp("arduino")
    archives: dict[tuple[str, bool], list[Path]] = {}

    def words(board: str, lto: bool) -> list[str]:  # noqa: FBT001  # a local helper
        variant = ARDUINO / "variants" / ("mega" if board == "mega" else "standard")
        flags = [*FLAGS.split(), f"-mmcu={BOARDS[board]}", f"-I{core}", f"-I{variant}"]
        flags.append(f"-DF_CPU={board_spec(board).cpu_hz}L")
        flags += ["-DARDUINO_ARCH_AVR", "-Wl,--gc-sections"]
        return [*flags, *(["-flto", "-fno-fat-lto-objects"] if lto else [])]

    def core_of(board: str, lto: bool) -> list[Path]:  # noqa: FBT001  # the same
        if (board, lto) not in archives:
            place = folder / f"{board}-{lto}"
            place.mkdir()
            sources = sorted([*core.glob("*.c*"), *core.glob("*.S")])
            argv = [str(avr_gcc()), *words(board, lto), "-c", *map(str, sources)]
            subprocess.run(argv, check=True, timeout=120, cwd=place)
            archives[board, lto] = sorted(place.glob("*.o"))
        return archives[board, lto]

    def build(name: str, *, board: str = "uno", lto: bool = False) -> FirmwareImage:
        elf = folder / f"{name}-{board}-{lto}.elf"
        if not elf.exists():
            objects = core_of(board, lto)
            sketch = [f"-DSKETCH={name}", str(SKETCHES), "-o", str(elf)]
            argv = [str(avr_gcc()), *words(board, lto), *sketch, *map(str, objects)]
            subprocess.run(argv, check=True, timeout=60)
        return FirmwareImage(environment=board, elf_path=elf, sha256="", key=elf.name)

    return build


def seen(
    engine: Simavr, image: FirmwareImage, board: str, step_ms: int, *, skip: bool
) -> Seen:
    """Return the lines, the edges, and where the firmware is in the end."""
    spec = replace(board_spec(board), options={"skip_delays": skip})
    running = engine.boot(spec, image)
    try:
        link = running.link()
        link.send(b"say it again\n" * 3)
        said: list[tuple[int, bytes]] = []
        for begin_ms in range(0, RUN_MS, step_ms):
            running.advance(min(step_ms, RUN_MS - begin_ms))
            said += link.receive()
        trace = running.pin_trace()
        assert len(trace.events) > 4
        return lines(said), trace, running.now_us()
    finally:
        running.close()


def lines(said: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Join chunks that were cut by the end of a step."""
    found: list[tuple[int, bytes]] = []
    begun = b""
    for at_us, data in said:
        begun += data
        if begun.endswith(b"\n"):
            found.append((at_us, begun))
            begun = b""
    return [*found, (0, begun)]


def check(engine: Simavr, image: FirmwareImage, board: str) -> None:
    plain = seen(engine, image, board, 1000, skip=False)
    assert seen(engine, image, board, 7, skip=False) == plain
    for step_ms in (1, 7, 10, 1000):
        assert seen(engine, image, board, step_ms, skip=True) == plain, step_ms


@pytest.mark.parametrize("lto", [False, True], ids=["plain", "lto"])
@pytest.mark.parametrize("name", NAMES)
def test_bytes_and_edges_are_the_same(
    simavr: Simavr, sketch: Sketch, name: str, *, lto: bool
) -> None:
    check(simavr, sketch(name, lto=lto), "uno")


@pytest.mark.parametrize("lto", [False, True], ids=["plain", "lto"])
def test_so_they_are_where_a_call_takes_a_cycle_more(
    simavr: Simavr, sketch: Sketch, *, lto: bool
) -> None:
    check(simavr, sketch("BLINK", board="mega", lto=lto), "mega")


@pytest.mark.parametrize("name", ["BLINK", "SERVO", "IN_MICROS"])
def test_so_they_are_at_half_the_clock(
    simavr: Simavr, sketch: Sketch, name: str
) -> None:
    check(simavr, sketch(name, board="pro-mini-8mhz"), "pro-mini-8mhz")


@pytest.mark.parametrize("name", TWI_NAMES)
def test_so_they_are_where_an_interrupt_is_waited_for(
    simavr: Simavr, sketch: Sketch, name: str
) -> None:
    """Others come meanwhile: of a timer, of its overflow, of bytes from the UART."""
    check(simavr, sketch(name), "uno")


def test_so_they_are_where_a_return_address_takes_three_bytes(
    simavr: Simavr, sketch: Sketch
) -> None:
    check(simavr, sketch("TWI_BYTES", board="mega", lto=True), "mega")


def left_out(simavr: Simavr, image: FirmwareImage, board: str) -> int:
    """Return how many rounds are leapt over in 100 ms."""
    mmcu = BOARDS[board]
    segments = list(read_program(image.elf_path, mmcu, MCUS[mmcu]).segments)
    cpu_hz = str(board_spec(board).cpu_hz)
    argv = [sys.executable, "-c", LEAPS, simavr.library, mmcu, repr(segments), cpu_hz]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.parametrize("board", ["uno", "mega", "pro-mini-8mhz"])
@pytest.mark.parametrize("lto", [False, True], ids=["plain", "lto"])
def test_most_rounds_are_left_out(
    simavr: Simavr, sketch: Sketch, board: str, *, lto: bool
) -> None:
    # A round takes 57 to 82 cycles.
    image = sketch("BLINK", board=board, lto=lto)
    cycles = board_spec(board).cpu_hz / 10
    assert left_out(simavr, image, board) > 0.8 * cycles / 82


def test_most_bytes_of_spi_are_leapt_over(simavr: Simavr, sketch: Sketch) -> None:
    """In 100 ms there are some 4,500, few of them while something else is due."""
    assert left_out(simavr, sketch("SPI_BYTES"), "uno") > 3000


@pytest.mark.parametrize(("name", "fewest"), [("TWI_BYTES", 500), ("TWI_POLLED", 500)])
def test_most_bytes_of_twi_are_leapt_over(
    simavr: Simavr, sketch: Sketch, name: str, fewest: int
) -> None:
    assert left_out(simavr, sketch(name), "uno") > fewest


def test_a_wait_for_a_cell_that_each_byte_changes_is_run_through_in_the_end(
    simavr: Simavr, sketch: Sketch
) -> None:
    """Each value of it takes as long to follow as a hundred bytes."""
    assert 900 < left_out(simavr, sketch("TWI_CLIMBS"), "uno") <= 1000


def test_a_wait_that_counts_is_run_through(simavr: Simavr, sketch: Sketch) -> None:
    assert left_out(simavr, sketch("TWI_COUNTED"), "uno") == 0


def test_a_yield_of_the_sketchs_own_is_called_each_time(
    simavr: Simavr, sketch: Sketch
) -> None:
    assert left_out(simavr, sketch("OWN_YIELD"), "uno") == 0
