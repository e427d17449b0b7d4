"""Runs of agents, read back from folders of campaigns or from a published index.

A published index is a CSV with the columns of the closed-loop benchmark's
``official_run_index.csv`` (J. Syst. Archit. 179 (2026) 103937): other columns are left
alone.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.overview import read_result
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_RESULTS = "cells/*/result.json"
_CAMPAIGN = "campaign.toml"
_NEEDED = ("task_id", "mode", "model_label", "repetition", "pass_fail")
_FAMILIES = {"host_tests": "HOST", "integration": "INT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """One run of an agent, as tables need it; ``None`` is what nobody recorded.

    ``verdict`` is PASS, HOST, INT or NONE, or ``""`` where there is none through no
    fault of the agent's. ``scenarios`` says of those that are known whether they
    passed. Times are in seconds of host time.
    """

    model: str
    task: str
    mode: str
    repetition: int
    verdict: str
    wall_s: float | None = None
    first_submission_s: float | None = None
    submissions: int | None = None
    tokens: int | None = None
    tool_calls: int | None = None
    self_test_runs: int | None = None
    false_greens: int | None = None
    scenarios: Mapping[str, bool] = field(default_factory=dict[str, bool])
    agent: str = ""
    campaign: str = ""
    file: str = ""

    @property
    def passed(self) -> bool:
        """Whether the agent solved the task."""
        return self.verdict == "PASS"

    @property
    def reached_loop(self) -> bool:
        """Whether its closed loop was run."""
        return self.verdict in {"PASS", "INT"}

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What no two runs have in common."""
        who = self.agent or self.model
        return (self.campaign, who, self.task, self.mode, self.repetition)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsRead:
    """All runs that were found, each once, and what is odd about the places.

    ``duplicates`` are runs that were there again, ``gaps`` those that a campaign's file
    wants and nobody has: both in words.
    """

    runs: tuple[AgentRun, ...]
    duplicates: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def read_runs(places: Iterable[Path]) -> RunsRead:
    """Read folders of campaigns' runs and CSV files, in any mixture.

    Of a run that is in several of them the first one that has a verdict counts.

    Raises:
        ConfigError: a place holds no runs, or a line of a CSV makes no sense.
    """
    found: dict[object, AgentRun] = {}
    duplicates: list[str] = []
    wanted: dict[object, str] = {}
    for place in places:
        runs = list(_in_csv(place) if place.is_file() else _in_folder(place))
        wanted_here = _wanted(place)
        wanted |= wanted_here
        if not runs and not wanted_here:
            raise ConfigError(_nothing_in(place))
        for run in runs:
            earlier = found.get(run.key)
            if earlier is None or (not earlier.verdict and run.verdict):
                found[run.key] = run
            if earlier is not None:
                counts = found[run.key].file
                duplicates.append(f"{run.file}: is there again: {counts} counts")
    gaps = [words for key, words in wanted.items() if key not in found]
    return RunsRead(
        runs=tuple(found.values()),
        duplicates=tuple(duplicates),
        gaps=tuple(gaps),
    )


def _nothing_in(place: Path) -> str:
    if not place.exists():
        return f"{place}: no such folder or file: name a run's folder, or a CSV"
    return (
        f"{place}: holds no runs of a campaign, and is no CSV: of any other run "
        "--html=FILE makes a page"
    )


def holds_runs(place: Path) -> bool:
    """Say whether a place is an index, or the folder of a campaign's runs."""
    return place.is_file() or (place / _CAMPAIGN).is_file() or any(place.glob(_RESULTS))


def _in_folder(folder: Path) -> Iterator[AgentRun]:
    for file in sorted(folder.glob(_RESULTS)):
        result = read_result(file)
        usage: dict[str, Any] = result["usage"]["total"] or {}
        yield AgentRun(
            model=result["model"] or result["agent"],
            task=result["task"],
            mode=result["mode"],
            repetition=result["repetition"],
            verdict=result["verdict"] or "",
            wall_s=result["wall_s"],
            first_submission_s=result["first_submission_s"],
            submissions=len(result["submissions"]),
            tokens=usage.get("total_tokens"),
            tool_calls=usage.get("tool_calls"),
            self_test_runs=result["self_test_runs"],
            false_greens=result["false_greens"],
            scenarios=result.get("scenarios", {}),
            agent=result["agent"],
            campaign=result["campaign_digest"],
            file=str(file),
        )


def _wanted(folder: Path) -> dict[object, str]:
    """Return what the campaign of a folder was to run, by key, in words."""
    file = folder / _CAMPAIGN
    if not file.is_file():
        return {}
    about: dict[str, Any] = json.loads((folder / "campaign.json").read_bytes())
    return {
        (about["digest"], each["agent"], each["task"], each["mode"],
         each["repetition"]): f"{about['campaign']}: {each['id']}: nobody has run it"
        for each in about["cells"]
    }  # fmt: skip


def _in_csv(file: Path) -> Iterator[AgentRun]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            reader = csv.DictReader(lines)
            missing = set(_NEEDED) - set(reader.fieldnames or ())
            if missing:
                raise ConfigError(
                    f"{file}: lacks the columns {', '.join(sorted(missing))}: it is no "
                    "index of runs"
                )
            for number, row in enumerate(reader, start=2):
                yield _from_row(f"{file}:{number}", row)
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise ConfigError(f"{file}: is no CSV file: {error}") from error


def _from_row(where: str, row: Mapping[str, str]) -> AgentRun:
    passed = row["pass_fail"].strip().upper() == "PASS"
    family = row.get("failure_family", "").strip()
    scenario = row.get("failure_category", "").strip()
    return AgentRun(
        model=row["model_label"],
        task=row["task_id"],
        mode=row["mode"],
        repetition=int(_number(where, row, "repetition") or 0),
        verdict="PASS" if passed else _FAMILIES.get(family, "NONE"),
        wall_s=_number(where, row, "wall_clock_seconds"),
        first_submission_s=_number(where, row, "time_to_first_submission_seconds"),
        submissions=_whole(where, row, "hidden_eval_calls"),
        tokens=_whole(where, row, "total_tokens"),
        tool_calls=_whole(where, row, "tool_call_count"),
        self_test_runs=_whole(where, row, "self_test_runs"),
        scenarios={scenario: False} if scenario and _is_int(passed, family) else {},
        file=where,
    )


def _is_int(passed: bool, family: str) -> bool:  # noqa: FBT001  # as in a table
    return not passed and _FAMILIES.get(family) == "INT"


def _whole(where: str, row: Mapping[str, str], column: str) -> int | None:
    number = _number(where, row, column)
    return None if number is None else round(number)


def _number(where: str, row: Mapping[str, str], column: str) -> float | None:
    text = (row.get(column) or "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{where}: {column}: {text!r} is no number") from None
