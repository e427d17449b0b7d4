"""How boards have done: in one run, and over many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCHEMA = 1
_SUMS = ("retries", "resets", "power_cycles", "used_s", "waited_s")


def lab_record(run: str, attempts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return ``lab.json`` of a run.

    Args:
        run: Its name.
        attempts: One each for a test and its reruns: ``test``, ``attempt``, ``at``
            (UTC), ``outcome``, ``blame``, ``boards`` (the records of leases) and
            ``events`` (``event``, ``board``, ``cause``).
    """
    boards: dict[str, dict[str, Any]] = {}
    missing: dict[str, str] = {}
    for attempt in attempts:
        for its in attempt["boards"]:
            _add_use(boards.setdefault(its["board"], _nothing()), its, attempt)
        for event in attempt["events"]:
            if event["event"] == "missing":
                missing[event["board"]] = event["cause"]
                continue
            entry = boards.setdefault(event["board"], _nothing())
            entry["last_seen"] = max(entry["last_seen"], attempt["at"])
            if event["event"] == "out":
                entry["out"] = event["cause"]
            else:
                entry["events"].append(event["cause"])
    for entry in boards.values():
        seen = len(entry["events"])
        entry["fault_count"] = max(seen, 1 if entry["out"] else 0)
    return {
        "schema": SCHEMA,
        "run": run,
        "boards": dict(sorted(boards.items())),
        "missing": dict(sorted(missing.items())),
        "attempts": [_short(attempt) for attempt in attempts],
    }


def over_runs(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return by board what many runs' ``lab.json`` come to."""
    sums: dict[str, dict[str, Any]] = {}
    for record in records:
        for name, its in record["boards"].items():
            entry = sums.setdefault(name, {**_nothing(), "runs": 0, "faulty_runs": 0})
            entry["runs"] += 1
            entry["faulty_runs"] += its["fault_count"] > 0
            for key in ("tests", "passed", "fault_count", *_SUMS):
                entry[key] = round(entry.get(key, 0) + its[key], 3)
            for blame, count in its["faults"].items():
                entry["faults"][blame] = entry["faults"].get(blame, 0) + count
            for key in ("out", "port", "usb_serial"):
                entry[key] = its[key] or entry[key]
            entry["events"] += its["events"]
            entry["last_seen"] = max(entry["last_seen"], its["last_seen"])
    return dict(sorted(sums.items()))


def _add_use(
    entry: dict[str, Any], its: Mapping[str, Any], attempt: Mapping[str, Any]
) -> None:
    entry["tests"] += 1
    entry["passed"] += attempt["outcome"] == "passed"
    if attempt["outcome"] == "failed":
        blame = attempt["blame"] or "nobody"
        entry["faults"][blame] = entry["faults"].get(blame, 0) + 1
    for key in _SUMS:
        entry[key] = round(entry[key] + its[key], 3)
    entry["port"], entry["usb_serial"] = its["port"], its["usb_serial"]
    entry["last_seen"] = max(entry["last_seen"], attempt["at"])


def _nothing() -> dict[str, Any]:
    return {
        "tests": 0,
        "passed": 0,
        "faults": {},
        "fault_count": 0,
        **dict.fromkeys(_SUMS, 0),
        "port": "",
        "usb_serial": "",
        "last_seen": "",
        "out": "",
        "events": [],
    }


def _short(attempt: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("test", "attempt", "at", "outcome", "blame")
    names = [board["board"] for board in attempt["boards"]]
    return {**{key: attempt[key] for key in kept}, "boards": names}
