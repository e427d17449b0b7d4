"""What would switch off the sanitizers is seen however it is written."""

from __future__ import annotations

import pytest

from pytest_embedbench.grading.host.sanitizing import switched_off

HEAD = '# 1 "src/controller.c"\n'


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "__attribute__((no_sanitize_undefined)) int f(void);",
            "no_sanitize_undefined",
        ),
        ('__attribute__((optimize("wrapv"))) int f(void);', "optimize('wrapv')"),
        ('__attribute__((optimize("wra" "pv"))) int f(void);', "optimize('wrapv')"),
        (r'__attribute__((optimize("wra\160v"))) int f(void);', "optimize('wrapv')"),
        ('__attribute__((\noptimize\n(\n"wrapv"))) int f(void);', "optimize('wrapv')"),
        ('#pragma GCC optimize ("wrap" "v")\n', "optimize('wrapv')"),
        ('__attribute__((__optimize__("no-sanitize=all"))) int f;', "optimize('no-"),
        ('void f(void) asm("__ubsan_" "handle_add_overflow");', "__ubsan_handle_add"),
        (r'asm(".set \137_ubsan_handle_sub_overflow, f");', "__ubsan_handle_sub"),
        ('__attribute__((optimize(3, "wrapv"))) int f(void);', "optimize('wrapv')"),
        ('#pragma GCC optimize "trapv"\n', "optimize('trapv')"),
        ("void __asan_default_options(void) {}", "__asan_default_options"),
    ],
)
def test_what_switches_off_a_sanitizer_is_told(code: str, told: str) -> None:
    said = switched_off(f"{HEAD}\n{code}")
    assert told in said
    assert said.startswith("src/controller.c:")


@pytest.mark.parametrize(
    "code",
    [
        'static const char *optimize = "overflow"; int f(void) { return 1; }',
        '__attribute__((optimize("O2"))) int f(void);',
        'int f(void) { puts("sanitize the tank"); return 0; }',
        "int no_overflow; int wrapv;",
    ],
)
def test_what_only_looks_like_it_is_none(code: str) -> None:
    assert switched_off(f"{HEAD}{code}") == ""


def test_the_place_is_that_of_the_source() -> None:
    text = '# 1 "src/controller.c"\n# 1 "src/controller.h" 1\nint a;\n'
    text += '# 7 "src/controller.c" 2\n\nvoid __ubsan_x(void);\n'
    assert switched_off(text).startswith("src/controller.c:8: error: __ubsan_x:")
