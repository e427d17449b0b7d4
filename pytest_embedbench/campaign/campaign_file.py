"""A campaign's file: which agents work on which tasks, how often, and by what rules.

```toml
[campaign]
name = "five-tasks"
modes = ["oneshot_blind", "ci_red_green"]
boards = ["native", "uno"]
repetitions = 3

[[agent]]
label = "scripted"
command = ["python3", "agent.py", "{prompt}"]
readable = ["agent.py"]

[[task]]
path = "../example_suites/tank_fill_drain"
```

Paths are from the file's folder on, and so is a word of ``command`` that ``readable``
names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import safe_name
from pytest_embedbench.campaign.agent_run import Agent
from pytest_embedbench.campaign.modes import Mode, mode_named
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.task import Suite, load_task
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    read_table,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VERDICT_RULES = ("last", "best")
_SANDBOXES = ("auto", "require", "off")
_CAMPAIGN = {"name": str, "modes": list, "boards": list}
_CAMPAIGN_MORE = {
    "repetitions": int,
    "profile": str,
    "verdict": str,
    "time_limit_s": int,
    "submission_limits": dict,
    "sandbox": str,
}
_AGENT = {"label": str, "command": list}
_AGENT_MORE = {
    "model": str,
    "provider": str,
    "sampling": dict,
    "serving": dict,
    "network": bool,
    "readable": list,
    "variables": list,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEntry:
    """One agent of a campaign, and what is to be said of it in tables.

    ``sampling`` and ``serving`` are settings of a model, as its user names them.
    """

    label: str
    agent: Agent
    model: str = ""
    provider: str = ""
    sampling: Mapping[str, object] = field(default_factory=dict[str, object])
    serving: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One agent at one task in one mode, once."""

    entry: AgentEntry
    suite: Suite
    mode: Mode
    repetition: int

    @property
    def id(self) -> str:
        """Its name in node ids, folders and shards."""
        words = (self.entry.label, self.suite.task.name, self.mode.name)
        return safe_name("-".join((*words, str(self.repetition))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A campaign, as its file has it."""

    file: Path
    digest: str
    name: str
    entries: tuple[AgentEntry, ...]
    suites: tuple[Suite, ...]
    modes: tuple[Mode, ...]
    boards: tuple[str, ...]
    repetitions: int
    profile: str
    verdict_rule: str
    sandbox: str

    def cells(self) -> Iterator[Cell]:
        """Yield all runs, those that are alike far apart."""
        counts = range(1, self.repetitions + 1)
        for number, suite, mode, entry in product(
            counts, self.suites, self.modes, self.entries
        ):
            yield Cell(entry=entry, suite=suite, mode=mode, repetition=number)


def read_campaign(file: Path) -> Campaign:
    """Read a campaign's file.

    Raises:
        ConfigError: naming the file, the key, and what is wrong there.
    """
    where = str(file)
    top = read_table(file)
    kinds = {"campaign": dict, "agent": list, "task": list}
    check_keys(where, "", top, required=kinds)
    table: dict[str, Any] = top["campaign"]
    check_keys(where, "campaign.", table, required=_CAMPAIGN, optional=_CAMPAIGN_MORE)
    for key in ("modes", "boards"):
        check_items(where, f"campaign.{key}", table[key], str)
    limits: dict[str, object] = table.get("submission_limits", {})
    campaign = Campaign(
        file=file,
        digest=hashlib.sha256(file.read_bytes()).hexdigest(),
        name=table["name"],
        entries=tuple(_entries(file, top["agent"], table)),
        suites=tuple(_suites(file, top["task"])),
        modes=tuple(_mode(where, name, limits) for name in table["modes"]),
        boards=tuple(table["boards"]),
        repetitions=_positive(where, "campaign.repetitions", table, 1),
        profile=table.get("profile", "full"),
        verdict_rule=_choice(where, "verdict", table, VERDICT_RULES),
        sandbox=_choice(where, "sandbox", table, _SANDBOXES),
    )
    for name in limits:
        if name not in table["modes"]:
            raise ConfigError(
                f"{where}: campaign.submission_limits.{name}: is no mode of this "
                "campaign"
            )
    _check_unique(where, "agent", [entry.label for entry in campaign.entries])
    _check_unique(where, "task", [suite.task.name for suite in campaign.suites])
    _check_unique(where, "mode", table["modes"])
    return campaign


def _entries(
    file: Path, entries: object, campaign: Mapping[str, Any]
) -> Iterator[AgentEntry]:
    where, folder = str(file), file.resolve().parent
    limit_s = _positive(where, "campaign.time_limit_s", campaign, 3600)
    for place, table in rows(where, "agent", entries):
        check_keys(where, f"{place}.", table, required=_AGENT, optional=_AGENT_MORE)
        check_items(where, f"{place}.command", table["command"], str)
        for key in ("readable", "variables"):
            if table.get(key):
                check_items(where, f"{place}.{key}", table[key], str)
        shown = {name: folder / name for name in table.get("readable", [])}
        agent = Agent(
            # It runs in a workspace, where a path from here on would lead nowhere.
            command=tuple(str(shown.get(word, word)) for word in table["command"]),
            limit_s=limit_s,
            network=table.get("network", False),
            readable=tuple(shown.values()),
            variables=tuple(table.get("variables", [])),
        )
        yield AgentEntry(
            label=_named(where, f"{place}.label", table["label"]),
            agent=agent,
            model=table.get("model", ""),
            provider=table.get("provider", ""),
            sampling=table.get("sampling", {}),
            serving=table.get("serving", {}),
        )


def _suites(file: Path, entries: object) -> Iterator[Suite]:
    for place, table in rows(str(file), "task", entries):
        check_keys(str(file), f"{place}.", table, required={"path": str})
        root = (file.resolve().parent / table["path"]).resolve()
        if not (root / "hidden").is_dir():
            raise ConfigError(
                f"{file}: {place}.path: {root} is no task package: it has no hidden/"
            )
        yield Suite(root=root, task=load_task(root / "task.toml"))


def _mode(where: str, name: str, limits: Mapping[str, object]) -> Mode:
    from dataclasses import replace  # noqa: PLC0415  # late

    try:
        mode = mode_named(name)
    except ConfigError as error:
        raise ConfigError(f"{where}: campaign.modes: {error}") from None
    if name not in limits:
        return mode
    key = f"campaign.submission_limits.{name}"
    limit = limits[name]
    # TOML has no null: 0 stands for as often as one likes.
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise ConfigError(f"{where}: {key}: must be a whole number, 0 for no limit")
    return replace(mode, submission_limit=limit or None)


def _positive(where: str, key: str, table: Mapping[str, Any], default: int) -> int:
    number: int = table.get(key.rpartition(".")[2], default)
    if number < 1:
        raise ConfigError(f"{where}: {key}: must be 1 or more, is {number}")
    return number


def _choice(
    where: str, key: str, table: Mapping[str, Any], choices: tuple[str, ...]
) -> str:
    word: str = table.get(key, choices[0])
    if word not in choices:
        listed = ", ".join(choices)
        raise ConfigError(f"{where}: campaign.{key}: must be one of {listed}")
    return word


def _named(where: str, key: str, name: str) -> str:
    if not name or safe_name(name) != name:
        raise ConfigError(
            f"{where}: {key}: {name!r}: letters, digits and -_.+ alone: folders are "
            "named after it"
        )
    return name


def _check_unique(where: str, what: str, names: list[str]) -> None:
    if not names:
        raise ConfigError(f"{where}: {what}: there has to be one")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{where}: {what}: {twice!r} is there twice")
