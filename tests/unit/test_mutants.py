"""Faults in C: which there are, what they are called, and what is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.commands.mutate import chosen
from pytest_embedbench.grading.mutation.earlier import TrialLog, on_every_board
from pytest_embedbench.grading.mutation.equivalence import check_known, equivalents_of
from pytest_embedbench.grading.mutation.generate import (
    Declared,
    Patch,
    declared_by,
    mutants_of,
    reference_of,
)
from pytest_embedbench.grading.mutation.overview import overview
from pytest_embedbench.grading.mutation.table import MutantOutcome
from pytest_embedbench.grading.mutation.trial import Fate, MutantTrial
from pytest_embedbench.grading.task import Suite, load_task
from pytest_embedbench.support.sampling import sampled

pytest.importorskip("tree_sitter_c", reason="pip install 'pytest-embedbench[mutate]'")

TASK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
FATES = ("killed", "killed", "killed", "survived", "stillborn")
HEADER = b"""
#define LOW 30
#define HIGH 80
#define WAIT_MS 1000U

typedef enum { STATE_OFF = 0, STATE_ON, STATE_HELD } state_t;

typedef struct {
    bool fill;
    bool drain;
    state_t state;
    uint32_t last_ms;
} controller_t;
"""


def mutants(code: str, declared: Declared | None = None) -> list[str]:
    """Return what is done to a function with this body."""
    reference = {
        "c.h": HEADER,
        "c.c": f"bool f(controller_t *c, int v) {{ {code} }}".encode(),
    }
    made = mutants_of(reference, declared or Declared())
    return [mutant.what for mutant in made if mutant.file == "c.c"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return v < LOW;", "`<` becomes `<=`"),
        ("return v < LOW;", "`<` becomes `>`"),
        ("return v < LOW;", "`LOW` becomes `(LOW + 1)`"),
        ("return v < LOW;", "`LOW` becomes `HIGH`"),
        ('f(c, "ON");', '`"ON"` becomes `"on"`'),
        ('f(c, "ON");', '`"ON"` becomes `" ON"`'),
        ("return v < LOW;", "`return v < LOW;` becomes `return true;`"),
        ("if (v && c) { v++; }", "`&&` becomes `||`"),
        ("if (v && c) { v++; }", "`v && c` becomes `(v)`"),
        ("if (v && c) { v++; }", "`(v && c)` becomes `(!(v && c))`"),
        ("if (v && c) { v++; }", "`(v && c)` becomes `(0)`"),
        ("v++; v = 2;", "`++` becomes `--`"),
        ("v++; v = 2;", "`v++;` is left out"),
        ("v++; v = 2;", "`2` becomes `3`"),
        ("c->fill = true;", "`true` becomes `false`"),
        ("c->fill = true;", "`fill` becomes `drain`"),
        ("c->fill = !c->drain;", "`!c->drain` becomes `(c->drain)`"),
        ("c->state = STATE_ON;", "`STATE_ON` becomes `STATE_HELD`"),
        ("c->state = STATE_HELD;", "`STATE_HELD` becomes `STATE_OFF`"),
        ("c->last_ms = v;", "`v` becomes `0`"),
        ("if (v) { f(c, 1); } else { f(c, 2); }", "`else { f(c, 2); }` is left out"),
        (
            "switch (v) { case 1: v++; f(c, v); break; default: break; }",
            "becomes `case 1: break; v++; f(c, v); break;`",
        ),
    ],
)
def test_a_programmer_could_have_written_that(code: str, expected: str) -> None:
    assert any(what.endswith(expected) for what in mutants(code))


TIRED = """
bool f(controller_t *c, input_t in) {
    bool is_late = 0;
    if (!c->fill) { return false; }
    c->state = STATE_ON;
    if (in.now_ms - c->last_ms > WAIT_MS) { c->drain = true; }
    return strtol(in.text, 0, 10) == isdigit(in.text[0]);
}
"""


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("width", "`uint32_t last_ms;`: `uint32_t` becomes `uint16_t`"),
        ("width", "`int level;`: `int` becomes `uint8_t`"),
        (
            "cast",
            "`in.now_ms - c->last_ms` becomes `(uint16_t)(in.now_ms - c->last_ms)`",
        ),
        ("cast", "`in.now_ms - c->last_ms` becomes `(int)(in.now_ms - c->last_ms)`"),
        ("float", "becomes `((float)(in.now_ms) - (float)(c->last_ms))`"),
        ("rounding", "becomes `(in.now_ms - c->last_ms) / 1000 > (WAIT_MS) / 1000`"),
        ("deadline", "becomes `(in.now_ms) > (uint16_t)(c->last_ms + WAIT_MS)`"),
        ("sentinel", "`c->fill` becomes `(c->last_ms != 0)`"),
        ("member", "`last_ms` becomes `first_ms`"),
        ("kept", "becomes `static bool is_late = 0;`"),
        ("expiry", "becomes `((!c->fill) && in.now_ms < 65536U)`"),
        ("expiry", "({ static uint8_t times; times < 200U && ++times; }))`"),
        ("order", "{ bool is_late = 0; c->state = STATE_ON; if (!c->fill)"),
        ("parsing", "`10` becomes `0`"),
        ("parsing", "`isdigit` becomes `isxdigit`"),
    ],
)
def test_a_tired_engineer_could_have_written_that(operator: str, expected: str) -> None:
    header = HEADER.replace(b"last_ms;", b"last_ms; uint32_t first_ms;")
    header += b"typedef struct { int level; uint32_t now_ms; char *text; } input_t;"
    made = mutants_of({"c.h": header, "c.c": TIRED.encode()}, Declared())
    assert any(m.operator == operator and expected in m.what for m in made)


def test_limits_are_off_by_one_and_five_and_times_by_a_share() -> None:
    reference = {"c.h": HEADER, "c.c": b"int f(void) { return LOW + WAIT_MS; }"}
    told = [mutant.what for mutant in mutants_of(reference, Declared())]
    for wrong in (25, 29, 31, 35):
        assert f"LOW: `30` becomes `{wrong}`" in told
    for wrong in (999, 1001, 990, 1010, 900, 1100):
        assert f"WAIT_MS: `1000U` becomes `{wrong}U`" in told
    assert not any(what.startswith("HIGH") for what in told), "nobody looks at it"


def test_times_are_cut_to_fewer_bits() -> None:
    told = [mutant.what for mutant in mutants_of({"c.h": HEADER}, Declared())]
    assert "`uint32_t last_ms;`: `uint32_t` becomes `uint16_t`" in told


def test_the_same_fault_is_made_once() -> None:
    told = mutants("if (v < LOW) { f(c, 1); }")
    assert "f: `<` becomes `>=`" in told
    assert not any("!(v < LOW)" in what for what in told), "that is its opposite"
    assert "f: `f(c, 1);` is left out" not in told, "that is what never being true does"


def test_what_the_brief_leaves_free_is_no_fault() -> None:
    declared = Declared(free_members=frozenset({"state"}))
    code = "c->state = STATE_ON; if (v) { v = 1; } else { c->state = STATE_OFF; }"
    assert all("state" not in what.lower() for what in mutants(code, declared))
    assert mutants(code, Declared(free_functions=frozenset({"f"}))) == []


def test_names_are_those_of_the_lines_that_change() -> None:
    def names(source: bytes) -> set[str]:
        return {m.name for m in mutants_of({"c.c": source}, Declared())}

    code = b"int f(int v) { return v < 3; }\n"
    assert names(code) == names(b"/* moved */\n\n" + code)
    twice = names(b"void f(void) {\n    g();\n    h();\n    g();\n}\n")
    assert sum(name.startswith("statement-") for name in twice) == 3


def test_a_declared_fault_has_to_fit_the_reference() -> None:
    patch = Patch(name="x", what="w", file="c.c", edits=(("v++;", "v--;"),))
    reference = {"c.c": b"void f(int v) { v++; }"}
    made, *_ = mutants_of(reference, Declared(patches=(patch,)))
    assert (made.name, made.source) == ("x", b"void f(int v) { v--; }")
    with pytest.raises(
        ConfigError, match=r"'x': this has to stand exactly once in c\.c"
    ):
        mutants_of({"c.c": b"void f(int v) { v++; v++; }"}, Declared(patches=(patch,)))


def test_a_mutant_is_a_submission(tmp_path: Path) -> None:
    reference = {"src/a.c": b"char a = 1;", "src/b.c": b"void f(int v) { v++; }"}
    first = mutants_of(reference, Declared())[0]
    first.write(reference, tmp_path)
    assert (tmp_path / "src" / "a.c").read_bytes() == b"char a = 1;"
    assert (tmp_path / "src" / "b.c").read_bytes() == first.source
    assert "-void f(int v) { v++; }" in first.diff


@pytest.fixture(scope="module")
def tank() -> Suite:
    return Suite(root=TASK, task=load_task(TASK / "task.toml"))


def test_the_tank_has_a_hundred_faults_and_few_that_are_none(tank: Suite) -> None:
    made = mutants_of(reference_of(tank), declared_by(tank))
    equivalents = equivalents_of(tank, "native")
    check_known(tank, equivalents, made)
    assert len({mutant.name for mutant in made}) == len(made) >= 100
    assert len(equivalents) <= len(made) // 5


def test_an_equivalent_that_is_gone_is_named(tank: Suite) -> None:
    with pytest.raises(ConfigError, match=r"equivalents.toml: .* no mutant 'gone-1'"):
        check_known(tank, ["gone-1"], [])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[free]\nlines = ['a']", "free.lines: unknown key"),
        ("[[patch]]\nname = 'x'", r"patch\[0\].what: missing"),
        ("[[patch]]\nname = 3", r"patch\[0\].\w+: "),
    ],
)
def test_a_broken_table_is_named_by_file_and_key(
    tmp_path: Path, text: str, named: str
) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "mutants.toml").write_text(text)
    with pytest.raises(ConfigError, match=f"mutants.toml: {named}"):
        declared_by(Suite(root=tmp_path, task=load_task(TASK / "task.toml")))


def trial(number: int, fate: Fate) -> MutantTrial:
    source = f"void f(int v) {{ v = {number}; v++; }}".encode()
    mutant = mutants_of({"c.c": source}, Declared())[0]
    return MutantTrial(
        mutant=mutant,
        fate=fate,
        stage="HOST_TEST",
        check="test_x",
        brief=("T1",),
        reason="",
        duration_s=0.1,
    )


def outcome_of(
    trials: list[MutantTrial], declared: dict[str, str], witnesses: dict[str, str]
) -> MutantOutcome:
    return MutantOutcome(
        task="t",
        profile="full",
        board="native",
        trials=trials,
        declared=declared,
        witnesses=witnesses,
        cpu_s=90.0,
    )


def test_the_overview_has_profiles_and_boards_side_by_side(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no <task>/full\.json there"):
        overview(tmp_path)
    outcome = outcome_of([trial(n, Fate(f)) for n, f in enumerate(FATES)], {}, {})
    (tmp_path / "t").mkdir()
    record = outcome.record()
    (tmp_path / "t" / "full.json").write_text(json.dumps(record))
    assert "\n| t | 4 | 0 (0.0%) | 3 of 4 | 75.0% | - | - | 2 min |\n" in overview(
        tmp_path
    )
    counts = record["counts"] | {"killed": 2, "survived": 2}
    other = record | {"score": 0.5, "counts": counts}
    (tmp_path / "t" / "paper.json").write_text(json.dumps(other))
    (tmp_path / "t" / "full-uno.json").write_text(json.dumps(other))
    told = overview(tmp_path)
    assert "`full` on native | score | `full` on uno | score | `paper`" in told
    cells = "3 of 4 | 75.0% | 2 of 4 | 50.0% | 2 of 4 | 50.0% | 4 min"
    assert f"\n| t | 4 | 0 (0.0%) | {cells} |\n" in told


def test_the_overview_has_a_row_for_each_kind_of_fault(tmp_path: Path) -> None:
    outcome = outcome_of([trial(n, Fate(f)) for n, f in enumerate(FATES)], {}, {})
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "full.json").write_text(json.dumps(outcome.record()))
    (kind,) = {row["kind"] for row in outcome.record()["mutants"]}
    assert overview(tmp_path).endswith(
        "| kind of fault | mutants | equivalent | killed on native |\n"
        f"|---|--:|--:|--:|\n| {kind} | 4 | 0 | 3 of 4 |\n"
    )


def test_a_campaign_goes_on_where_it_was_cut_short(tmp_path: Path) -> None:
    log = TrialLog(tmp_path / "t" / "full.jsonl")
    killed, alive = trial(0, Fate.KILLED), trial(1, Fate.SURVIVED)
    mutants = [killed.mutant, alive.mutant]
    assert log.done(mutants) == {}
    log.note(killed)
    log.note(alive)
    with log.file.open("a") as file:
        file.write('{"mutant": "cut sh')
    assert log.done(mutants) == {killed.mutant.name: killed}
    other = replace(killed.mutant, diff="another fault of that name")
    assert log.done([other]) == {}
    log.begin()
    assert log.done(mutants) == {}


def test_what_the_host_stage_kills_dies_on_every_board() -> None:
    there, here = trial(0, Fate.KILLED), trial(1, Fate.KILLED)
    done = {"there": there, "here": replace(here, stage="INTEGRATION")}
    assert on_every_board(done) == {"there": there}


def test_a_sample_is_the_same_each_time_and_in_order() -> None:
    reference = {"c.h": HEADER, "c.c": b"int f(int v) { return v < LOW || v > HIGH; }"}
    every = mutants_of(reference, Declared())
    few = sampled(every, 5)
    assert len(few) == 5
    assert few == sampled(every, 5) == [one for one in every if one in few]
    assert set(few) <= set(sampled(every, 7))
    assert sampled(every, 10_000) == every


def test_the_score_is_of_faults_alone() -> None:
    trials = [
        *(trial(number, Fate.KILLED) for number in range(3)),
        trial(3, Fate.SURVIVED),
        trial(4, Fate.SURVIVED),
        trial(5, Fate.STILLBORN),
    ]
    missed, harmless = (each.mutant.name for each in trials[3:5])
    outcome = outcome_of(
        trials, {harmless: "nobody can tell"}, {missed: "pump_on is", harmless: ""}
    )
    assert outcome.score == 0.75
    assert outcome.counts()["mutants"] == 5
    assert trials[3].mutant.diff in outcome.page(), "survivors are shown"
    assert "It breaks the brief:\n\n```\npump_on is" in outcome.page()
    assert "nobody can tell" in outcome.page()
    assert outcome.record()["mutants"][4]["equivalent"] is True
    assert outcome.refuted == []


@pytest.mark.parametrize("fate", [Fate.KILLED, Fate.SURVIVED])
def test_a_fault_that_is_declared_to_be_none_is_found_out(fate: Fate) -> None:
    one = trial(1, fate)
    witness = {one.mutant.name: "pump_on is True"} if fate is Fate.SURVIVED else {}
    outcome = outcome_of([one], {one.mutant.name: "cannot matter"}, witness)
    assert outcome.refuted == [one.mutant.name]
    assert outcome.counts()["equivalent"] == 0


def test_an_unknown_mutant_is_said_to_be_unknown() -> None:
    with pytest.raises(UnknownName, match="no mutant named 'x'"):
        chosen([trial(1, Fate.KILLED).mutant], ["x"])
