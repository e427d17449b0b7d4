"""The table of a run: rates by model, board, module and tag, as text and for files."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import replace_file, replace_json
from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.rates import HINT, has_scipy, rates
from pytest_embedbench.esr.records import SCHEMA, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.esr.rates import Interval, Rate, Rates
    from pytest_embedbench.esr.records import CaseRecord

FILE = "esr"
_HEAD = ("", "", "cases", "unseen", "E_str", "E_per", "delta_pin", "undecided")
_COLUMNS = (
    *("model", "answer", "case", "check", "board", "module", "tags", "outcome"),
    *("corrections", "candidates_tried", "observed", "seconds", "why"),
)
NO_MODEL = "-"

Group = tuple[str, str]
"""By what, and which: ``("model", "careful")``; ``("all", "")`` is everything."""


def grouped(records: Sequence[CaseRecord]) -> dict[Group, Sequence[CaseRecord]]:
    """Return all cases, and those that something tells apart from others."""
    found: dict[Group, Sequence[CaseRecord]] = {("all", ""): records}
    for by, names in _names(records):
        if len(names) > 1 or by == "tag":
            for name, members in sorted(names.items()):
                found[by, name] = members
    return found


def by_model(records: Iterable[CaseRecord]) -> dict[str, Rates]:
    """Return rates by who answered; what nobody did is of ``NO_MODEL``."""
    groups: dict[str, list[CaseRecord]] = {}
    for record in records:
        groups.setdefault(record["model"] or NO_MODEL, []).append(record)
    return {name: rates(map(outcome_of, of)) for name, of in sorted(groups.items())}


def _names(
    records: Iterable[CaseRecord],
) -> Iterator[tuple[str, dict[str, list[CaseRecord]]]]:
    found: dict[str, dict[str, list[CaseRecord]]] = {
        by: {} for by in ("model", "board", "module", "tag")
    }
    for record in records:
        for by, name in _memberships(record):
            found[by].setdefault(name, []).append(record)
    yield from found.items()


def _memberships(record: CaseRecord) -> Iterator[Group]:
    yield "model", record["model"] or NO_MODEL
    yield "board", record["board"]
    if record["module"]:
        yield "module", record["module"]
    for tag in dict.fromkeys(record["tags"]):
        yield "tag", tag


def lines(records: Sequence[CaseRecord]) -> list[str]:
    """Return the table of rates as aligned lines, and what else there is to say."""
    rows = [_HEAD, *(_row(group, each) for group, each in grouped(records).items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    told = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    counts = ", ".join(
        f"{count} {outcome.value}"
        for outcome, count in rates(map(outcome_of, records)).counts.items()
    )
    told += [f"outcomes: {counts}", *_faults(records)]
    return told if has_scipy() else [*told, HINT]


def _faults(records: Iterable[CaseRecord]) -> Iterator[str]:
    """Say once what is broken or missing of ours, however many cases have met it."""
    reasons = Counter(
        record["why"].partition("\n")[0]
        for record in records
        if outcome_of(record) is Outcome.BENCH_FAULT
    )
    for why, count in reasons.most_common():
        yield f"bench-fault, {count} {'case' if count == 1 else 'cases'}: {why}"


def _row(group: Group, members: Sequence[CaseRecord]) -> tuple[str, ...]:
    of = rates(map(outcome_of, members))
    unseen = sum(not record["observed"] for record in members)
    open_cases = ""
    if of.undecided:
        ranges = (_span(each.bounds) for each in (of.strict, of.permissive, of.delta))
        names = ("E_str", "E_per", "delta_pin")
        bounds = ", ".join(
            f"{name} {span}" for name, span in zip(names, ranges, strict=True)
        )
        open_cases = f"{of.undecided}: {bounds} whatever they are"
    return (
        *group,
        str(of.cases),
        str(unseen or ""),
        _percent(of.strict),
        _percent(of.permissive),
        _percent(of.delta),
        open_cases,
    )


def _percent(rate: Rate) -> str:
    if rate.share is None:
        return "-"
    interval = rate.interval
    around = f" [{_span(interval)}]" if interval is not None else ""
    return f"{rate.count}/{rate.of} {100 * rate.share:.1f} %{around}"


def _span(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def delta_line(records: Sequence[CaseRecord]) -> str:
    """Return the last line of a run: ``delta_pin = ...``."""
    of = rates(map(outcome_of, records))
    bounds = of.delta.bounds
    undecided = (
        f"; {of.undecided} undecided: {bounds.low:.3f} to {bounds.high:.3f}"
        if of.undecided
        else ""
    )
    if of.delta.share is None:
        return f"delta_pin = unknown (no case of {of.cases} was decided{undecided})"
    found = of.delta.interval
    interval = f" [{found.low:.3f}, {found.high:.3f}]" if found is not None else ""
    return (
        f"delta_pin = {of.delta.share:.3f}{interval} (E_str {_of(of.strict)}, "
        f"E_per {_of(of.permissive)}{undecided})"
    )


def strict_line(records: Sequence[CaseRecord]) -> str:
    """Return the last line of a run on strict pins alone."""
    of = rates(map(outcome_of, records))
    tried = of.cases - of.counts.get(Outcome.BENCH_FAULT, 0)
    return f"E_str = {of.strict.count}/{tried} (delta_pin takes --embedbench-pins=both)"


def _of(rate: Rate) -> str:
    return f"{rate.count}/{rate.of}"


def write(
    records: Sequence[CaseRecord], run_dir: Path, not_run: Sequence[str] = ()
) -> None:
    """Write ``esr.json`` and ``esr.csv`` into a run's folder."""
    table = {
        "schema": SCHEMA,
        "rates": [
            {"by": by, "name": name, **_rates_record(rates(map(outcome_of, members)))}
            for (by, name), members in grouped(records).items()
        ],
        "not_run": [*not_run],
        "cases": [*records],
    }
    replace_json(run_dir / f"{FILE}.json", table)
    replace_file(run_dir / f"{FILE}.csv", csv_text(records))


def _rates_record(of: Rates) -> Mapping[str, Any]:
    return {
        "cases": of.cases,
        "undecided": of.undecided,
        "outcomes": {outcome.value: count for outcome, count in of.counts.items()},
        "E_str": _rate_record(of.strict),
        "E_per": _rate_record(of.permissive),
        "delta_pin": _rate_record(of.delta),
    }


def _rate_record(rate: Rate) -> Mapping[str, Any]:
    return {
        "count": rate.count,
        "of": rate.of,
        "share": rate.share,
        "interval": rate.interval and [*rate.interval],
        "bounds": [*rate.bounds],
    }


def csv_text(records: Iterable[CaseRecord]) -> str:
    """Return the cases as CSV: a head line, then one line each."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for record in records:
        table: dict[str, Any] = {
            **record,
            "tags": "; ".join(record["tags"]),
            "corrections": "; ".join(record["corrections"]),
            "why": record["why"].partition("\n")[0],
        }
        writer.writerow([table[name] for name in _COLUMNS])
    return text.getvalue()
