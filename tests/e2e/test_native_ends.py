"""How native firmware can end, and what is said of it: cause, place, time."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.datasheet import load_board
from pytest_embedbench.engines.native import Native
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    EmbedbenchError,
    FirmwareCrash,
    FirmwareFault,
    FirmwareSpin,
    FirmwareStuck,
)
from pytest_embedbench.model import BoardSpec, FirmwareImage
from pytest_embedbench.processes import wait_gone
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc

pytestmark = needs_gcc


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="module")
def spec() -> BoardSpec:
    boards = Path(__file__).parents[2] / "boards" / "embedbench_boards"
    return load_board(boards / "native.toml")


def run_into_fault(
    spec: BoardSpec, image: FirmwareImage, **options: int
) -> tuple[EmbedbenchError, bytes]:
    """Boot, run for a second, and return the fault and what was said before it."""
    with closing(Native().boot(replace(spec, options=options), image)) as board:
        with pytest.raises((FirmwareFault, BoardLost)) as fault:
            board.advance(1000)
        with pytest.raises(type(fault.value)):
            board.advance(1)
        return fault.value, b"".join(chunk.data for chunk in board.link().receive())


def test_a_crash_names_signal_address_and_function(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        __attribute__((noinline)) void poke(volatile int *where) { *where = 1; }
        void firmware_main(void)
        {
            say("before\\npart");
            fputs("assertion about to fail", stderr);
            port_delay_ms(20);
            poke((int *)0x10);
            rest();
        }
        """
    )
    fault, said = run_into_fault(spec, image)
    assert isinstance(fault, FirmwareCrash)
    message = str(fault)
    assert message.startswith("the firmware crashed in poke+0x")
    assert "called from firmware_main, main" in message
    assert "SIGSEGV: bad memory access at 0x10" in message
    assert "(at 0.020954 s)" in message
    assert message.endswith("assertion about to fail")
    assert said == b"before\npart"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit(3);", "exited with code 3"),
        ("return;", r"firmware_main\(\) returned"),
        ("abort();", "crashed in firmware_main.*SIGABRT"),
        ("__builtin_trap();", "crashed in firmware_main.*SIGILL|SIGTRAP"),
        ("raise(SIGTERM);", "SIGTERM: raised by itself"),
        ("raise(SIGHUP);", "SIGHUP: raised by itself"),
        ("raise(SIGALRM);", "SIGALRM: raised by itself"),
        ("signal(SIGUSR1, SIG_DFL); raise(SIGUSR1);", "SIGUSR1: raised by itself"),
        ("raise(SIGKILL);", "SIGSYS: forbidden system call"),
        ("raise(SIGSTOP);", "SIGSYS: forbidden system call"),
        ("ptrace(PTRACE_TRACEME, 0, 0, 0);", "SIGSYS: forbidden system call"),
        ("setrlimit(RLIMIT_CPU, &none);", "SIGSYS: forbidden system call"),
        ("getrlimit(RLIMIT_CPU, &none); exit(5);", "exited with code 5"),
        ("deep(1);", "crashed in deep.*SIGSEGV"),
        ("*(volatile char *)malloc(1u << 30) = 1;", "refused more memory.* 256 MiB"),
    ],
)
def test_every_other_end_is_named(
    spec: BoardSpec, compiler: NativeCompiler, body: str, words: str
) -> None:
    image = compiler.firmware(
        HEAD
        + "#include <signal.h>\n#include <sys/ptrace.h>\n#include <sys/resource.h>\n"
        + "struct rlimit none;\n"
        + "int deep(int n) { volatile int on = n; return on ? deep(on) + on : 0; }\n"
        + 'void firmware_main(void) { say("hi\\n"); '
        + body
        + " }"
    )
    fault, said = run_into_fault(spec, image)
    assert isinstance(fault, FirmwareCrash)
    assert said == (b"" if "SIG_DFL" in body else b"hi\n")  # nothing is reported
    with pytest.raises(FirmwareCrash, match=words):
        raise fault


def test_what_a_sanitizer_finds_is_a_crash_with_its_report_as_evidence(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        void firmware_main(void)
        {
            volatile char *ten = malloc(10);
            say("hi\\n");
            port_delay_ms(20);
            ten[port_now_ms()] = 1;
            rest();
        }
        """,
        "-fsanitize=address",
    )
    fault, said = run_into_fault(spec, image, memory_limit_mb=0)
    assert isinstance(fault, FirmwareCrash)
    assert "exited with code 1 (at 0.020260 s)" in str(fault)
    assert "heap-buffer-overflow" in str(fault)
    assert "in firmware_main" in str(fault)
    assert said == b"hi\n"


def test_a_spin_is_cut_off_and_names_its_function(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        __attribute__((noinline)) void forever(void) { for (;;) __asm__(""); }
        void firmware_main(void) { say("hi\\n"); forever(); }
        """
    )
    fault, said = run_into_fault(spec, image, cpu_limit_ms=100)
    assert isinstance(fault, FirmwareSpin)
    assert "runs on without waiting" in str(fault)
    assert "in forever+0x" in str(fault)
    assert said == b"hi\n"


def test_polling_without_a_timeout_is_a_spin(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        void firmware_main(void)
        {
            uint8_t byte;
            for (;;) port_uart_read(&byte, 1, 0);
        }
        """
    )
    fault, _ = run_into_fault(spec, image, cpu_limit_ms=100)
    assert isinstance(fault, FirmwareSpin)


def test_a_wait_outside_the_port_is_cut_off_too(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD + "#include <unistd.h>\nvoid firmware_main(void) { for (;;) pause(); }"
    )
    fault, _ = run_into_fault(spec, image, asleep_limit_ms=400)
    assert isinstance(fault, FirmwareStuck)
    assert "waits for something of the host's" in str(fault)
    assert "in firmware_main" in str(fault)


def test_a_deaf_spin_is_cut_off_as_well(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        #include <signal.h>
        void firmware_main(void) { signal(SIGXCPU, SIG_IGN); for (;;) {} }
        """
    )
    fault, _ = run_into_fault(spec, image, cpu_limit_ms=100)
    assert isinstance(fault, FirmwareSpin)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (
            "*(volatile int *)0 = 1;",
            FirmwareCrash,
            "killed by SIGSEGV before firmware_",
        ),
        (
            "exit(0);",
            FirmwareCrash,
            "exited with 0 before firmware_main.* a constructor",
        ),
        ("for (;;) {}", FirmwareSpin, "a constructor never returns"),
    ],
)
def test_what_a_constructor_does_is_the_firmwares_fault(
    spec: BoardSpec,
    compiler: NativeCompiler,
    body: str,
    error: type[FirmwareFault],
    words: str,
) -> None:
    image = compiler.firmware(
        HEAD
        + "__attribute__((constructor)) static void before(void) { "
        + f'fputs("early", stderr); {body} }}'
        + 'void firmware_main(void) { say("hi\\n"); rest(); }'
    )
    with pytest.raises(error, match=words) as caught:
        Native().boot(replace(spec, options={"cpu_limit_ms": 100}), image)
    assert str(caught.value).endswith("early")


def test_a_program_without_our_port_is_told_from_firmware(
    spec: BoardSpec, tmp_path: Path
) -> None:
    # E1: what answers is proved to be what was started.
    script = tmp_path / "other"
    script.write_text("#!/bin/sh\necho DBG BOOTED\nexit 4\n")
    script.chmod(0o755)
    image = FirmwareImage(environment="native", elf_path=script, sha256="", key="")
    with pytest.raises(ConfigError, match=r"ended with 4.*embedbench_port"):
        Native().boot(spec, image)


def test_a_file_that_cannot_be_run_is_refused(spec: BoardSpec, tmp_path: Path) -> None:
    text_file = tmp_path / "notes.txt"
    text_file.write_text("hello")
    image = FirmwareImage(environment="native", elf_path=text_file, sha256="", key="")
    with pytest.raises(FirmwareFault, match=r"notes\.txt: cannot be run"):
        Native().boot(spec, image)


def test_a_child_of_the_firmwares_own_does_not_hide_its_end_nor_outlive_it(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        #include <unistd.h>
        void firmware_main(void)
        {
            pid_t child = fork();
            if (child == 0) for (;;) pause();
            printf("%d\\n", (int)child);
            abort();
        }
        """
    )
    fault, _ = run_into_fault(spec, image)
    assert isinstance(fault, FirmwareCrash)
    assert wait_gone(int(str(fault).split()[-1]), 2)
