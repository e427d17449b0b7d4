"""Backtraces decoded against ELF files of the real compilers."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.crash import Frame, decode, explain, locate
from pytest_embedbench.crash.addr2line import run_addr2line
from pytest_embedbench.errors import FirmwareCrash
from pytest_embedbench.testing import LOOPBACK_SPEC, Loopback, loopback_image
from pytest_embedbench.wire.crash import CrashWatch

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.testing import LoopbackUart

SOURCE = """\
volatile int *where;
static inline int touch(int n)
{
  *where = n;
  return n;
}
__attribute__((noinline)) int inner(int n)
{
  int got = touch(n) + 1;
  __asm__ volatile("" ::: "memory");
  return got;
}
__attribute__((noinline)) int outer(int n)
{
  int got = inner(n * 3);
  __asm__ volatile("" ::: "memory");
  return got + n;
}
int main(void)
{
  int got = outer(2);
  __asm__ volatile("" ::: "memory");
  return got;
}
"""
COMPILERS = {
    "xtensa-lx106-elf-": ("gcc-xtensa-lx106", ["-mlongcalls"]),
    "riscv64-unknown-elf-": (
        "gcc-riscv64-unknown-elf",
        ["-march=rv32imc", "-mabi=ilp32"],
    ),
    "arm-none-eabi-": ("gcc-arm-none-eabi", ["-mcpu=cortex-m4", "-mthumb"]),
}
XTENSA, RISCV, ARM = COMPILERS
START = 0x4200_0000


def built(folder: Path, prefix: str, *words: str) -> Path:
    """Compile the source, or skip with the advice to install the compiler."""
    package, machine = COMPILERS[prefix]
    gcc = shutil.which(f"{prefix}gcc")
    if gcc is None:
        pytest.skip(f"no {prefix}gcc: apt-get install {package}")
    (folder / "crash.c").write_text(SOURCE)
    flags = ["-nostdlib", "-nostartfiles", "-Wl,-e,main", f"-Wl,-Ttext={START:#x}"]
    command = [gcc, *machine, "-Og", *flags, *(words or ("-g",)), "crash.c"]
    subprocess.run([*command, "-o", "crash.elf"], cwd=folder, check=True, timeout=60)
    return folder / "crash.elf"


def calls(prefix: str, elf: Path) -> dict[str, int]:
    """Return the address after each call, by the name of the function it is in."""
    listing = subprocess.run(
        [f"{prefix}objdump", "-d", elf], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, int] = {}
    function, called = "", False
    for line in listing.splitlines():
        if label := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            function = label[1]
        elif instruction := re.match(r" *([0-9a-f]+):\t", line):
            if called:
                found[function] = int(instruction[1], 16)
            called = re.search(r"\t(bl|jal|call0)\t", line) is not None
    return found


def told(frames: list[Frame]) -> list[tuple[str, int]]:
    return [(frame.function, frame.line) for frame in frames]


@pytest.mark.parametrize("dwarf", [4, 5])
@pytest.mark.parametrize("prefix", COMPILERS)
def test_a_place_is_told_with_the_calls_that_were_inlined(
    tmp_path: Path, prefix: str, dwarf: int
) -> None:
    elf = built(tmp_path, prefix, "-g", f"-gdwarf-{dwarf}")
    after = calls(prefix, elf)
    store = after["outer"] - 1
    inner = run_addr2line(elf, [START + 4])[START + 4]
    assert told(inner) == [("touch", 4), ("inner", 9)]
    frames = locate([START + 4, store, after["main"] - 1], elf)
    assert told(frames) == [("touch", 4), ("inner", 9), ("outer", 15), ("main", 21)]
    assert frames[0].file == str(tmp_path / "crash.c")


@pytest.mark.parametrize("prefix", COMPILERS)
def test_without_debug_information_functions_are_named(
    tmp_path: Path, prefix: str
) -> None:
    elf = built(tmp_path, prefix, "-g0")
    after = calls(prefix, elf)["outer"]
    (frame,) = locate([after - 1], elf)
    assert re.fullmatch(r"outer\+0x[0-9a-f]+", frame.function)


def test_an_address_outside_of_the_program_stays_a_number(tmp_path: Path) -> None:
    elf = built(tmp_path, ARM)
    assert [str(frame) for frame in locate([0x1234], elf)] == ["0x00001234 0x1234"]


def test_a_riscv_stack_dump_is_walked_to_its_end(tmp_path: Path) -> None:
    # X8: a RISC-V ESP prints no backtrace, only registers and raw stack.
    elf = built(tmp_path, RISCV)
    after = calls(RISCV, elf)
    stack = [0] * 8
    # outer and main each keep 16 bytes, the return address 12 bytes up.
    stack[3], stack[7] = after["main"], 0
    rows = " ".join(f"{word:#010x}" for word in stack)
    watch = CrashWatch.of("esp32c3")
    for line in (
        "Guru Meditation Error: Core  0 panic'ed (Store access fault).",
        "Core  0 register dump:",
        f"MEPC    : {START + 8:#010x}  RA      : {after['outer']:#010x}",
        "SP      : 0x3fc90000  GP      : 0x3fc8a600",
        "Stack memory:",
        f"3fc90000: {rows}",
    ):
        assert watch.feed(line, 0) is None
    crash = watch.feed("Rebooting...", 0)
    assert crash is not None
    frames = decode(crash, elf)
    assert told(frames) == [("touch", 4), ("inner", 9), ("outer", 15), ("main", 21)]


def test_a_dump_of_another_elf_is_not_decoded(tmp_path: Path) -> None:
    elf = built(tmp_path, XTENSA)
    watch = CrashWatch.of("esp32")
    watch.feed("abort() was called at PC 0x42000004 on core 0", 0)
    crash = watch.feed("ELF file SHA256: 0123456789ab", 0)
    assert crash is not None
    assert explain(crash, elf) == (
        "the firmware aborted (abort() was called at PC 0x42000004) at 0.000000 s\n"
        "backtrace not decoded: the board runs an ELF whose SHA-256 begins with "
        f"0123456789ab, which is not {elf}"
    )


def test_a_panic_ends_the_test_with_its_backtrace_in_source_lines(
    tmp_path: Path,
) -> None:
    # X8: the whole way, from the line on the wire to the failure.
    elf = built(tmp_path, XTENSA)
    after = calls(XTENSA, elf)
    stack = f"0x3ffb0000 {after['outer'] - 3:#x}:0x3ffb0010 {after['main'] - 3:#x}"

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 100
        uart.write(b"Guru Meditation Error: Core  0 panic'ed (StoreProhibited).\r\n")
        yield 10
        uart.write(f"Backtrace: {START + 8:#x}:{stack}:0x3ffb0020\r\n".encode())
        yield 10
        uart.write(b"Rebooting...\r\n")
        yield 60_000

    spec = replace(LOOPBACK_SPEC, mcu="esp32")
    board = Loopback(firmware).boot(spec, loopback_image())
    bench = Bench(board, tmp_path, elf_path=elf)
    with pytest.raises(FirmwareCrash) as crash:
        bench.expect("never", within_ms=60_000)
    assert bench.board.now_us() < 1_000_000
    bench.close()
    source = tmp_path / "crash.c"
    assert re.sub(r" +0x[0-9a-f]{8}", "", str(crash.value)).splitlines() == [
        "the firmware panicked (StoreProhibited) at 0.100000 s",
        "backtrace, innermost first:",
        f" touch at {source}:4",
        f" inner at {source}:9",
        f" outer at {source}:15",
        f" main at {source}:21",
    ]
