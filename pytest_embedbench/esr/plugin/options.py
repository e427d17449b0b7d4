"""The options and the marker of ESR."""

from __future__ import annotations

from pytest_embedbench.esr.usual import PERMISSIVE, STRICT, TRIALS
from pytest_embedbench.plugin.options import Setting

BOTH = "both"
PINS = Setting(
    name="pins",
    flag="--embedbench-pins",
    metavar="WHICH",
    help="Items of a check marked esr: strict (as it is wired), permissive (once pin "
    "constants are corrected), or both",
    default=BOTH,
    choices=(STRICT, PERMISSIVE, BOTH),
)
ANSWERS = Setting(
    name="answers",
    flag="--embedbench-answers",
    metavar="FILE",
    help="Judge each line of a JSONL file as a model's answer to a case of ESR",
)
BUDGET = Setting(
    name="esr_budget",
    flag="--embedbench-esr-budget",
    metavar="N",
    help="How often the search of a case of ESR may run its check; three builds and "
    "75 s go with ten runs",
    default=str(TRIALS),
    whole=True,
    least=1,
)
SETTINGS = (PINS, ANSWERS, BUDGET)
MARKERS = ("esr(case, module, tags): a case of ESR: may also pass with corrected pins",)
