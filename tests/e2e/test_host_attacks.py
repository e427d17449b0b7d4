"""What a submission may try on its evaluator: refused with the reason, never ours."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import BuildError, FirmwareCrash, FirmwareFault
from pytest_embedbench.grading.host.builder import RUNS_EARLY
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.processes import descendants, wait_gone
from pytest_embedbench.processes.time_budget import TimeBudget
from tests.e2e.host_controllers import HEADER, HostStage
from tests.e2e.native_firmware import needs_gcc

pytestmark = needs_gcc

CALLS = "it makes a system call that no controller has any use for: {}"
BEFORE = """
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
static sigjmp_buf back;
static void swallow(int number) { (void)number; siglongjmp(back, 1); }
static char before[128]; /* as much as any signal has with it */
static void use_up(void)
{
    for (;;) {
        memset(malloc(1 << 20), 1, 1 << 20);
    }
}
"""
TIMER_OFF = "{ sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL); }"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise(SIGKILL);", CALLS.format("tgkill")),
        ("kill(getpid(), SIGTERM);", CALLS.format("kill")),
        ("kill(getppid(), SIGKILL);", CALLS.format("kill")),
        ("kill(-1, SIGCONT);", CALLS.format("kill")),
        ("fork();", CALLS.format("clone")),
        ('execl("/bin/true", "true", (char *)0);', CALLS.format("execve")),
        ("ptrace(PTRACE_ATTACH, getppid(), 0, 0);", CALLS.format("ptrace")),
        (
            "syscall(SYS_rt_sigqueueinfo, getppid(), SIGKILL, before);",
            CALLS.format("rt_sigqueueinfo"),
        ),
        (
            "syscall(SYS_pidfd_send_signal, 0, SIGKILL, NULL, 0);",
            CALLS.format("pidfd_send_signal"),
        ),
        ("fcntl(0, F_SETOWN, getppid());", CALLS.format("fcntl")),
        ("syscall(SYS_unshare, 0);", CALLS.format("unshare")),
        ("setsid();", CALLS.format("setsid")),
        ("alarm(1);", CALLS.format("alarm")),
        (
            "{ struct itimerval off = {0}; setitimer(ITIMER_PROF, &off, NULL); }",
            CALLS.format("setitimer"),
        ),
        (
            "{ struct rlimit most = {1, 1}; setrlimit(RLIMIT_CPU, &most); }",
            CALLS.format("prlimit64"),
        ),
        (TIMER_OFF, "it has switched off the timer that limits it"),
        ("signal(SIGPROF, SIG_IGN);", "it has switched off the timer"),
        (
            "signal(SIGSYS, SIG_IGN);",
            "it has switched off what limits its system calls",
        ),
        ("_exit(71);", "it ended the program with exit code 71"),
        ("exit(0);", "it ended the program with exit code 0"),
        (
            "signal(SIGSEGV, swallow); if (!sigsetjmp(back, 1)) *(char *)16 = 1;",
            "memory error: SEGV",
        ),
        (
            "signal(SIGFPE, swallow); if (!sigsetjmp(back, 1)) memory = 1 / zero;",
            "division by zero",
        ),
        ("for (int fd = 3; fd < 64; fd++) close(fd);", "or closed it"),
        (
            'for (int fd = 3; fd < 64; fd++) (void)!write(fd, "\\4\\0\\0\\0", 4);',
            "written into a file that it did not open",
        ),
        (f"{TIMER_OFF} use_up();", "it uses more and more memory"),
    ],
)
def test_what_a_step_tries_is_its_own_fault_with_the_reason(
    host_stage: HostStage, code: str, reason: str
) -> None:
    controller = host_stage.run(code, before=BEFORE)
    assert not controller.step("NONE", now_ms=50).pump_on
    with pytest.raises(FirmwareFault) as caught:
        controller.step("LEVEL", level=20, now_ms=100)
    message = str(caught.value)
    assert message.startswith("in controller_step(LEVEL, level=20, now_ms=100): ")
    assert reason in message
    controller.restart()
    assert not controller.step("NONE", now_ms=50).pump_on


def test_a_spin_without_its_timer_is_cut_off_from_outside(
    host_stage: HostStage,
) -> None:
    limits = TimeBudget(cpu_s=0.5, idle_s=10.0)
    controller = host_stage.run(
        f"{TIMER_OFF} for (;;) {{ }}", before=BEFORE, limits=limits
    )
    with pytest.raises(FirmwareFault, match="it does not come back: it runs on and on"):
        controller.step("LEVEL", now_ms=0)


ANSWER = """
static void answer(void)
{
    struct { unsigned bytes, kind; char token[8]; unsigned char stepped[3]; } fake =
        {3, 4, {0}, {0, 0, 1}};
    for (int fd = 3; fd < 64; fd++) {
        (void)!write(fd, &fake, 19);
    }
}
"""


RIGGED = """
#define HOST_STEPPING_H
#define HOST_DRIVER_H
#define host_take_step(step) rigged_step(step)
#if __has_include("host_task.h") || __has_include("stepping.h")
#error "it can tell where it is built"
#endif
#define HOST_IDLE 77
static int host_controller, host_same_text, host_init;
"""


def test_names_of_the_driver_mean_nothing_to_it(host_stage: HostStage) -> None:
    controller = host_stage.run("output.pump_on = true;", header=HEADER + RIGGED)
    assert not controller.step("NONE", now_ms=50).pump_on
    assert controller.step("LEVEL", level=20, now_ms=100).pump_on


@pytest.mark.parametrize("early", [True, False], ids=["before", "in"])
def test_an_answer_that_a_submission_writes_is_none(
    host_stage: HostStage, *, early: bool
) -> None:
    begin = "__attribute__((constructor)) static void at_once(void) { answer(); }"
    with pytest.raises(FirmwareCrash, match="written into a file that it did not open"):
        host_stage.run(
            "" if early else "answer();", before=ANSWER + (begin if early else "")
        ).step("LEVEL", now_ms=0)


FORGES = """
#include <sys/socket.h>
__attribute__((constructor)) static void early(void)
{
    struct { unsigned bytes, kind; char token[8]; char why[15]; } fake =
        {15, 9, {0}, "x: out of room"};
    for (int fd = 3; fd < 64; fd++) {
        if (recv(fd, fake.token, 8, 0) == 8) {
            (void)!write(fd, &fake, 31);
            _exit(0);
        }
    }
}
"""


def test_a_constructor_that_says_it_cannot_be_loaded_is_believed_to_its_cost(
    host_stage: HostStage,
) -> None:
    program = host_stage.program(host_stage.build("", before=FORGES))
    with pytest.raises(FirmwareCrash, match="it cannot be loaded: out of room"):
        program.open()


def test_sleep_in_slices_is_no_sign_of_a_busy_machine(host_stage: HostStage) -> None:
    limits = TimeBudget(cpu_s=5.0, wall_s=1.5, idle_s=10.0)
    controller = host_stage.run("for (;;) usleep(20000);", before=BEFORE, limits=limits)
    with pytest.raises(FirmwareFault, match="come back: it waits for something"):
        controller.step("LEVEL", now_ms=0)


def test_a_constructor_does_not_run_before_the_driver_does(
    host_stage: HostStage,
) -> None:
    kill = "__attribute__((constructor)) static void early(void) { raise(SIGKILL); }"
    program = host_stage.program(host_stage.build("", before=kill))
    with pytest.raises(FirmwareCrash, match=r"before controller_init: .*: tgkill"):
        program.open()
    assert program._keeper is not None
    assert program._keeper.popen.poll() is None


@pytest.mark.parametrize(
    ("before", "early"),
    [
        ("", False),
        ("static int plain(void) { return 1; }", False),
        ("__attribute__((constructor)) static void f(void) { memory++; }", True),
        ("__attribute__((__constructor__)) static void f(void) { memory++; }", True),
        ('__attribute__((section(".init_array"))) void (*f)(void);', True),
        ('__asm__(".section .init" "_array");', True),
        (
            '# 1 "/usr/include/mine.h" 3\n__attribute__((constructor)) void f(void);',
            True,
        ),
        ('#li\\\nne 7 "/mine.h"\n', True),
        (
            "#define J(a, b) a ## b\n__attribute__((J(const, ructor))) void f(void);",
            True,
        ),
    ],
)
def test_what_may_run_uncalled_is_never_loaded_by_the_keeper(
    host_stage: HostStage, before: str, *, early: bool
) -> None:
    image = host_stage.build("output.pump_on = memory >= 0;", before=before)
    assert image.metadata[RUNS_EARLY] == str(early)


@pytest.mark.parametrize(
    ("before", "what"),
    [
        ('__attribute__((no_sanitize("undefined")))', "no_sanitize"),
        ("__attribute__((no_sanitize_address))", "no_sanitize_address"),
        ("__attribute__((__no_sanitize_undefined__))", "__no_sanitize_undefined__"),
        ('[[gnu::no_sanitize("signed-integer-overflow")]]', "no_sanitize"),
        ("#define OFF(x) no_ ## x\n__attribute__((OFF(sanitize_address)))", "no_san"),
        ('#pragma GCC optimize("wrapv")\n', "wrapv"),
        ('_Pragma("GCC optimize(\\"-fwrapv\\")")', "wrapv"),
        ('__attribute__((optimize("no-delete-null-pointer-checks,wrapv")))', "wrapv"),
        ("void __ubsan_handle_add_overflow_abort(void) { }", "__ubsan_handle"),
        ('const char *__asan_default_options(void) { return ""; }', "__asan_default"),
    ],
)
def test_what_switches_a_sanitizer_off_is_refused_where_it_stands(
    host_stage: HostStage, before: str, what: str
) -> None:
    with pytest.raises(BuildError) as caught:
        host_stage.build("", before=f"{before}\nint sum(int a) {{ return a + 1; }}")
    assert "src/controller.c:" in caught.value.diagnostics
    assert what in caught.value.diagnostics
    assert "may not switch off" in str(caught.value)


@pytest.mark.parametrize(
    "before",
    [
        '#pragma GCC optimize("O3")\n',
        "/* no_sanitize */",
        '__attribute__((optimize("O2"), noinline))',
    ],
)
def test_what_only_reads_alike_is_built(host_stage: HostStage, before: str) -> None:
    host_stage.build("", before=f"{before}\nint sum(int a) {{ return a + 1; }}")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise(SIGKILL);", "it crashed (SIGKILL, and again on a second try)"),
        ("raise(SIGTERM);", "it crashed (SIGTERM, and again on a second try)"),
        (
            "kill(getppid(), SIGKILL); for (;;) { pause(); }",
            "it has ended the process that started it",
        ),
        ("if (fork() == 0) for (;;) pause(); _exit(3);", "exit code 3"),
        ("if (fork() > 0) _exit(0); abort();", "exit code 0"),
    ],
)
def test_without_a_filter_a_second_try_tells_who_has_killed(
    host_stage: HostStage, code: str, reason: str
) -> None:
    controller = host_stage.run(code, before=BEFORE, filtered=False)
    controller.step("NONE", now_ms=50)
    with pytest.raises(FirmwareCrash) as caught:
        controller.step("LEVEL", level=20, now_ms=100)
    message = str(caught.value)
    assert message.startswith("in controller_step(LEVEL, level=20, now_ms=100): ")
    assert reason in message


def test_processes_that_a_step_leaves_are_ended_and_told(host_stage: HostStage) -> None:
    code = "if (fork() == 0) { setsid(); for (;;) pause(); }"
    controller = host_stage.run(code, before=BEFORE, filtered=False)
    controller.step("LEVEL", now_ms=0)
    assert isinstance(controller.program, HostProgram)
    keeper = controller.program._keeper
    assert keeper is not None
    below = descendants(keeper.popen.pid)
    assert len(below) == 2
    with pytest.raises(FirmwareCrash, match="it has left 1 processes running"):
        controller.program.close()
    assert all(wait_gone(pid, budget_s=0) for pid in below)
