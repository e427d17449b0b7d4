"""Which cases a source file names, and which of them may not be in every build."""

from __future__ import annotations

import pytest

from pytest_embedbench.unity.sources import (
    SourceCase,
    doctest_cases,
    is_called,
    unity_cases,
)


def names(cases: list[SourceCase]) -> list[str]:
    return [case.name for case in cases]


def conditions(text: str) -> dict[str, str]:
    return {case.name: case.condition for case in unity_cases(text)}


def test_each_case_is_where_its_function_begins() -> None:
    text = """\
#include <unity.h>

static void helper(void) {}
void test_adds(void) {
}
void
test_elsewhere(void);

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_adds);
    RUN_TEST( test_elsewhere , 12);
    return UNITY_END();
}
"""
    assert [(case.name, case.line) for case in unity_cases(text)] == [
        ("test_adds", 4),
        ("test_elsewhere", 12),
    ]


def test_comments_strings_and_macros_name_no_case() -> None:
    text = r"""
// RUN_TEST(test_in_a_comment); \
   RUN_TEST(test_still_in_it);
/* RUN_TEST(test_in_another);
   RUN_TEST(test_too); */
const char *s = "RUN_TEST(test_in_a_string)", c = '"';
#define ALL RUN_TEST(test_in_a_macro); \
    RUN_TEST(test_in_its_second_line)
const char *raw = R"x(RUN_TEST(test_raw) ")x";
    RUN_TEST(test_real);
"""
    assert names(unity_cases(text)) == ["test_real"]


def test_what_is_no_name_is_no_case() -> None:
    text = "RUN_TEST([]() {}); RUN_TEST(*pick()); RUN_TEST(ns::test_a); RUN_TEST(&b);"
    assert names(unity_cases(text)) == ["ns::test_a", "b"]


def test_a_case_that_runs_twice_is_one() -> None:
    assert names(unity_cases("RUN_TEST(a);\nRUN_TEST(b);\nRUN_TEST(a);")) == ["a", "b"]


def test_a_case_under_a_condition_may_be_missing() -> None:
    text = """\
RUN_TEST(always);
#ifdef ARDUINO
RUN_TEST(only_there);
#endif
"""
    assert conditions(text) == {"always": "", "only_there": "#ifdef ARDUINO"}


def test_a_case_in_each_branch_is_certain() -> None:
    text = """\
#if defined(ARDUINO)
void setup() { RUN_TEST(both); RUN_TEST(first); }
#elif defined(X)
# ifdef Y
void loop() { RUN_TEST(both); }
# else
void loop() { RUN_TEST(both); }
# endif
#else
int main() { RUN_TEST(both); }
#endif
"""
    assert conditions(text) == {"both": "", "first": "#if defined(ARDUINO)"}


def test_branches_without_an_else_do_not_cover_all() -> None:
    text = "#if A\nRUN_TEST(x);\n#elif B\nRUN_TEST(x);\n#endif\n"
    assert conditions(text) == {"x": "#if A"}


@pytest.mark.parametrize("text", ["#endif\nRUN_TEST(x);", "#else\nRUN_TEST(x);"])
def test_directives_out_of_place_are_no_condition(text: str) -> None:
    assert conditions(text) == {"x": ""}


def test_doctest_names_its_cases_by_text() -> None:
    text = r"""
// TEST_CASE("no")
TEST_CASE("adds") { SUBCASE("small") {} }
TEST_CASE_FIXTURE(Fixture, "keeps \"quotes\"") {}
SCENARIO("a day") {}
"""
    found = doctest_cases(text)
    assert names(found) == ["adds", 'keeps "quotes"', "Scenario: a day"]
    assert [case.line for case in found] == [3, 4, 5]


def test_a_case_knows_the_functions_that_run_it() -> None:
    text = """\
static void some(void);
void some(void) {
  if (x) { RUN_TEST(a); }
  while (y) { RUN_TEST(b); }
}
void more() { RUN_TEST(b); }
int counted(void) { RUN_TEST(c); }
GROUP(d) { RUN_TEST(d); }
void Suite::of(int n) { RUN_TEST(e); }
"""
    assert {case.name: case.run_by for case in unity_cases(text)} == {
        "a": ("some",),
        "b": ("more", "some"),
        "c": (),
        "d": (),
        "e": (),
    }


def test_a_function_is_not_called_where_it_is_defined_declared_or_spoken_of() -> None:
    said = '// some();\nconst char *s = "some()"; void something();'
    assert not is_called("some", ["void some(void);\nvoid some(void) { }", said])


@pytest.mark.parametrize(
    "text",
    ["int main() { some(); }", "#define ALL some()", "task_t tasks[] = { some };"],
)
def test_a_function_is_called_wherever_else_it_is_mentioned(text: str) -> None:
    assert is_called("some", ["", text])


def test_what_a_framework_calls_is_called() -> None:
    assert is_called("setup", [])
