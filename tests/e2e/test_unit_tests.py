"""PlatformIO's own unit tests: the same cases on a program, an Uno and a Cortex-M."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.processes.guarded import GuardedExit, run_guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

    MakeProject = Callable[..., Path]

BOARDS = ("native", "uno", "qemu-stm32f405")
INI = """
[env:native]
platform = native
lib_ignore = embedbench_port

[env:uno]
platform = atmelavr
board = uno
framework = arduino
lib_ignore = embedbench_port

[env:qemu_stm32]
platform = ststm32
board = genericSTM32F405RG
test_ignore = test_off_*
"""
SHARED = {
    "lib/calc/src/calc.h": """
int add(int a, int b);
""",
    "lib/calc/src/calc.c": """
#include "calc.h"
int add(int a, int b) { return a + b; }
""",
    "test/run_tests.h": """
int run_tests(void);
""",
    "test/entry.c": """
#include "run_tests.h"
#if defined(ARDUINO)
#include <Arduino.h>
void setup() { delay(50); run_tests(); }
void loop() {}
#elif defined(__arm__)
#include "embedbench_port.h"
void firmware_main(void) { run_tests(); for (;;) { port_delay_ms(1000); } }
#else
int main(void) { return run_tests(); }
#endif
""",
}
CALC = """
#include <unity.h>
#include "calc.h"
#include "run_tests.h"
#define RUN(name) RUN_TEST(name)

void test_adds(void)
{
    TEST_ASSERT_EQUAL(4, add(2, 2));
    TEST_ASSERT_EQUAL_STRING("a", "a");
    TEST_ASSERT_FLOAT_WITHIN(0.1, 1.0, 1.05);
}
void test_fails(void)
{
    TEST_ASSERT_EQUAL_INT16(5, add(2, 2));
}
void test_later(void) { TEST_IGNORE_MESSAGE("not yet"); }
void test_hidden(void) { TEST_ASSERT_TRUE_MESSAGE(0, "seen"); }
void test_of_arduino(void) {}

int run_tests(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_adds);
    RUN_TEST(test_fails);
    RUN_TEST(test_later);
    RUN(test_hidden);
#ifdef ARDUINO
    RUN_TEST(test_of_arduino);
#endif
    return UNITY_END();
}
"""
OFF = """
#include <unity.h>
#include "run_tests.h"
void test_off(void) {}
int run_tests(void) { UNITY_BEGIN(); RUN_TEST(test_off); return UNITY_END(); }
"""


@dataclass(frozen=True)
class Ran:
    """An inner run: what it printed, and its cases by name and board."""

    printed: str
    cases: dict[str, str]
    messages: dict[str, str]
    folder: Path


@pytest.fixture
def run(seeded: CoreSetup, images_dir: Path, tmp_path: Path) -> Callable[..., Ran]:
    def run(project: Path, *words: str) -> Ran:
        xml, artifacts = tmp_path / "junit.xml", tmp_path / "artifacts"
        done = run_guarded(
            [
                *(sys.executable, "-m", "pytest", f"--junitxml={xml}", "-v"),
                *("-pno:cacheprovider", f"--embedbench-core={seeded.core_dir}"),
                *(f"--embedbench-cache={images_dir}", *words),
                f"--embedbench-artifacts={artifacts}",
            ],
            cwd=project,
            timeout_s=500,
        )
        assert done.ending is GuardedExit.EXITED, done.stdout
        (folder,) = [entry for entry in artifacts.iterdir() if not entry.is_symlink()]
        cases: dict[str, str] = {}
        messages: dict[str, str] = {}
        for case in ET.parse(xml).iter("testcase"):
            ends = [c for c in case if c.tag in {"failure", "skipped", "error"}]
            name = case.attrib["name"]
            assert name not in cases or "--reruns=1" in words
            cases[name] = ends[0].tag if ends else "passed"
            messages[name] = ends[0].attrib["message"] if ends else ""
        return Ran(done.stdout, cases, messages, folder)

    return run


def expected(board: str) -> dict[str, str]:
    there = {"of_arduino": "passed" if board == "uno" else "skipped"}
    of_calc = {"adds": "passed", "fails": "failure", "later": "skipped"}
    off = {} if board == "qemu-stm32f405" else {"off": "passed"}
    found = {**of_calc, "hidden": "failure", **there, **off}
    return {f"test_{name}[{board}]": outcome for name, outcome in found.items()}


@pytest.mark.parametrize("words", [("-n2",), ()], ids=["two-workers", "one-process"])
def test_every_board_has_the_same_cases_of_one_build_and_one_run(
    words: tuple[str, ...], make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    tests = {"test/test_calc/calc_test.c": CALC, "test/test_off_arm/off.c": OFF}
    project = make_project(INI, SHARED | tests)
    ran = run(project, *words, *(f"--board={board}" for board in BOARDS))
    wanted: dict[str, str] = {}
    for board in BOARDS:
        wanted |= expected(board)
    assert ran.cases == wanted
    for board in BOARDS:
        fails = ran.messages[f"test_fails[{board}]"]
        assert fails.endswith("test/test_calc/calc_test.c:15: Expected 5 Was 4")
        assert "not yet" in ran.messages[f"test_later[{board}]"]
        assert "seen" in ran.messages[f"test_hidden[{board}]"]
    left_out = ran.messages["test_of_arduino[native]"]
    assert left_out == "not in this build: under #ifdef ARDUINO"
    assert len(list((ran.folder / "unit-tests").glob("*.json"))) == 5
    built, found = re.findall(r"images: (\d+) built, (\d+) found", ran.printed)[0]
    assert int(built) + int(found) == 5
    assert "linked with Unity of pytest-embedbench's own" in ran.printed
    records = [json.loads(file.read_text()) for file in ran.folder.rglob("test.json")]
    tools = [record["tools"] for record in records if record["tools"]]
    assert "Unity of pytest-embedbench's own" in tools[0]["test framework"]


def test_a_failed_test_lies_where_its_function_is(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    project = make_project(INI, SHARED | {"test/test_calc/calc_test.c": CALC})
    ran = run(project, "--board=native", "-ojunit_family=xunit1", "-k", "fails")
    assert list(ran.cases) == ["test_fails[native]"]
    (case,) = ET.parse(project.parent / "junit.xml").iter("testcase")
    assert case.attrib["file"] == "test/test_calc/calc_test.c"
    assert case.attrib["line"] == "12"


NATIVE = "[env:native]\nplatform = native\n"
MAIN = """
#include <unity.h>
void test_first(void) {{ TEST_ASSERT_EQUAL(1, 1); }}
void test_second(void) {{ {body} }}
void test_third(void) {{ }}
int main(void)
{{
    UNITY_BEGIN();
    RUN_TEST(test_first);
    RUN_TEST(test_second);
    RUN_TEST(test_third);
    return UNITY_END();
}}
"""


@pytest.mark.parametrize(
    ("body", "how_far"),
    [
        ("*(volatile int *)0 = 1;", "the program was ended by SIGSEGV"),
        ("for (;;) { }", "the program had not ended after 2 s"),
        ("exit(3);", "the program exited with 3"),
        (
            'fputs("no room\\n", stderr); abort();',
            "the program was ended by SIGABRT, and said:\nno room",
        ),
    ],
)
def test_cases_after_the_end_have_failed_and_say_how_far_it_came(
    body: str, how_far: str, make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    main = "#include <stdio.h>\n#include <stdlib.h>\n" + MAIN.format(body=body)
    project = make_project(NATIVE, {"test/main.c": main})
    ran = run(project, "--board=native", "--embedbench-unit-test-limit-s=2")
    assert ran.cases["test_first[native]"] == "passed"
    for name in ("test_second", "test_third"):
        message = ran.messages[f"{name}[native]"]
        assert f"{name} never reported: the last of 1 cases was test_first" in message
        assert how_far in message


def test_a_crash_after_the_summary_is_told_though_the_first_case_is_ignored(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    text = """#include <stdlib.h>
#include <unity.h>
void setUp(void) {}
void tearDown(void) {}
void test_first(void) { TEST_IGNORE(); }
int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_first);
    UNITY_END();
    abort();
}
"""
    ran = run(make_project(NATIVE, {"test/main.c": text}), "--board=native")
    assert ran.cases["test_first[native]"] == "failure"
    assert "SIGABRT" in ran.messages["test_first[native]"]


def test_a_case_that_nothing_calls_is_skipped_and_an_option_that_leaves_none_is_told(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    forgotten = "void forgotten(void) {{ RUN_TEST(test_third); }}\nint main"
    text = MAIN.replace("    RUN_TEST(test_third);\n", "").replace(
        "int main", forgotten
    )
    ini = f"{NATIVE}[env:uno]\nplatform = atmelavr\nboard = uno\ntest_ignore = test_a\n"
    project = make_project(ini, {"test/test_a/main.c": text.format(body="")})
    ran = run(project, "--board=native", "--board=uno")
    assert ran.cases == {
        "test_first[native]": "passed",
        "test_second[native]": "passed",
        "test_third[native]": "skipped",
    }
    why = ran.messages["test_third[native]"]
    assert why == "never run: nothing calls forgotten()"
    assert "test_ignore = test_a leaves none of the suites" in ran.printed


def test_a_suite_that_does_not_build_says_so_once_per_case(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    project = make_project(NATIVE, {"test/main.c": MAIN.format(body="no_such();")})
    ran = run(project, "--board=native", "-Wignore")
    assert set(ran.cases.values()) == {"failure"}
    assert "no_such" in ran.messages["test_first[native]"]
    assert "embedbench: 3 x the submission does not build" in ran.printed


def test_nothing_is_collected_without_a_board_or_built_while_collecting(
    make_project: MakeProject, seeded: CoreSetup, tmp_path: Path
) -> None:
    project = make_project(NATIVE, {"test/main.c": MAIN.format(body="")})

    def collected(*words: str) -> str:
        argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", *words]
        argv += [f"--embedbench-cache={tmp_path / 'none'}", "-pno:cacheprovider"]
        return run_guarded(argv, cwd=project, timeout_s=60).stdout

    assert "no tests collected" in collected()
    listed = collected("--board=native", f"--embedbench-core={seeded.core_dir}")
    assert listed.splitlines()[:3] == [
        f"test/main.c::test_{name}[native]" for name in ("first", "second", "third")
    ]
    assert not list((tmp_path / "none").glob("images/*"))
    assert not list((tmp_path / "none").glob("builds/*"))


def test_a_rerun_runs_the_suite_again(
    make_project: MakeProject, run: Callable[..., Ran], tmp_path: Path
) -> None:
    # V1: what an earlier attempt has said is no evidence for this one.
    ran_before = tmp_path / "ran-before"
    body = f'FILE *f = fopen("{ran_before}", "r"); '
    body += f'fclose(fopen("{ran_before}", "w")); TEST_ASSERT_NOT_NULL(f);'
    main = "#include <stdio.h>\n" + MAIN.format(body=body)
    project = make_project(NATIVE, {"test/main.c": main})
    ran = run(project, "--board=native", "--reruns=1")
    assert "RERUN" in ran.printed
    assert set(ran.cases.values()) == {"passed"}
    assert len(list((ran.folder / "unit-tests").glob("*.json"))) == 2


DOCTEST = """
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest.h>
TEST_CASE("adds") { CHECK(1 + 1 == 2); }
TEST_CASE("divides")
{
    SUBCASE("evenly") { CHECK(8 / 2 == 4); }
    SUBCASE("with a rest") { CHECK(7 / 2 == 4); }
}
"""


@pytest.mark.skipif(
    not Path("/usr/include/doctest/doctest.h").is_file(),
    reason="doctest is not installed: apt-get install doctest-dev",
)
def test_cases_of_doctest_are_tests(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    ini = f"{NATIVE}test_framework = doctest\n"
    project = make_project(ini, {"test/main.cpp": DOCTEST})
    ran = run(project, "--board=native")
    assert ran.cases == {"adds[native]": "passed", "divides[native]": "failure"}
    assert "test/main.cpp:8: CHECK( 7 / 2 == 4 )" in ran.messages["divides[native]"]


def test_suites_for_other_runners_skip_and_say_so(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    ini = f"{NATIVE}test_framework = googletest\n"
    project = make_project(ini, {"test/test_x/main.cpp": "int main() {}"})
    ran = run(project, "--board=native")
    assert ran.cases == {"test_x[native]": "skipped"}
    assert "only `pio test` runs that" in ran.messages["test_x[native]"]


WANTED = """
[env:uno]
platform = atmelavr
board = uno
framework = arduino
lib_ignore = embedbench_port
platform_packages = platformio/tool-simavr@^1.10700
test_testing_command = ${platformio.packages_dir}/tool-simavr/bin/simavr
lib_deps =
    Unity
    https://github.com/ThrowTheSwitch/Unity/archive/master.zip
"""
FIRMWARE = """
#include <Arduino.h>
void setup() { Serial.begin(9600); Serial.println("ready"); }
void loop() {}
"""
SAYS_READY = """
def test_ready(bench):
    bench.expect("^ready$", within_ms=500)
"""


def test_unity_in_lib_deps_and_a_simulators_package_are_there(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    tests = {"test/test_calc/calc_test.c": CALC, "hil/test_it.py": SAYS_READY}
    project = make_project(WANTED, SHARED | tests | {"src/main.cpp": FIRMWARE})
    ran = run(project, "--board=uno", "-k", "adds or ready")
    assert (ran.cases.pop("test_adds[uno]"), ran.cases.pop("test_ready[uno]")) == (
        "passed", "passed"
    )  # fmt: skip
    assert set(ran.cases) == {"test_hidden[uno]"}  # which no source names


WIDE = """
#include <unity.h>
static int here;
static int *there = &here;
static long long_one = 65536L;
void test_pointers() { TEST_ASSERT_EQUAL(&here, there); }
void test_no_bit_is_lost() { TEST_ASSERT_NOT_EQUAL(0, long_one); }
void test_signs() { TEST_ASSERT_NOT_EQUAL(-1, (uint16_t)65535); }
void test_headers() { TEST_ASSERT_EQUAL(8, CHAR_BIT + fabs(0.0)); }
void test_halves() { TEST_ASSERT_EQUAL_UINT(65536UL, long_one); }
extern "C" int run_tests(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pointers);
    RUN_TEST(test_no_bit_is_lost);
    RUN_TEST(test_signs);
    RUN_TEST(test_headers);
    RUN_TEST(test_halves);
    return UNITY_END();
}
"""


def test_numbers_without_a_type_are_compared_whole_as_by_the_real_unity(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    project = make_project(INI, SHARED | {"test/test_wide/wide.cpp": WIDE})
    ran = run(project, "--board=native", "--board=uno")
    assert len(ran.cases) == 10
    assert set(ran.cases.values()) == {"passed"}


def test_a_framework_that_platformio_does_not_know_is_an_error(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    ini = f"{NATIVE}test_framework = catch2\n"
    project = make_project(ini, {"test/test_x/main.cpp": "int main() {}"})
    ran = run(project, "--board=native")
    assert "test_framework = 'catch2' is none of" in ran.messages["test[native]"]


BARE = """
[env:uno]
platform = atmelavr
board = uno
test_speed = 9600

[env:native]
platform = native
test_ignore = *bare
"""
WITH_PORT = """
#include <unity.h>
#include "embedbench_port.h"
void test_waits(void)
{
    port_delay_ms(3000);
    TEST_ASSERT_UINT32_WITHIN(20, 3000, port_now_ms());
}
void firmware_main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_waits);
    UNITY_END();
    for (;;) {
        port_delay_ms(1000);
    }
}
"""


def test_what_has_no_framework_speaks_over_the_port_or_usart_0(
    make_project: MakeProject, run: Callable[..., Ran]
) -> None:
    plain = "#if defined(__AVR__)\n" + MAIN.format(body="") + "#endif\n"
    tests = {"test/test_port/a.c": WITH_PORT, "test/test_bare/b.c": plain}
    ran = run(make_project(BARE, tests), "--board=uno", "--board=native", "-n2")
    assert ran.cases == {
        "test_waits[uno]": "passed",
        "test_waits[native]": "passed",
        **{f"test_{name}[uno]": "passed" for name in ("first", "second", "third")},
    }
