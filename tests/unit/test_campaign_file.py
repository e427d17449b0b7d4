"""What a campaign's file may say, and what is said of one that makes no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.campaign_file import read_campaign
from pytest_embedbench.campaign.shards import parse_shard
from pytest_embedbench.errors import ConfigError
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

CAMPAIGN = """
[campaign]
name = "five-tasks"
modes = ["oneshot_blind", "oracle_full"]
boards = ["native"]
repetitions = 2

[campaign.submission_limits]
oneshot_blind = 3

[[agent]]
label = "scripted"
command = ["python3", "agent.py", "{prompt}"]
model = "none"
readable = ["agent.py"]
sampling = { temperature = 0.2 }

[[agent]]
label = "other"
command = ["true"]

[[task]]
path = "TASK"
"""


def written(tmp_path: Path, text: str = CAMPAIGN) -> Path:
    file = tmp_path / "campaign.toml"
    file.write_text(text.replace("TASK", str(SUITES / "tank_fill_drain")))
    return file


def test_it_says_who_works_on_what(tmp_path: Path) -> None:
    campaign = read_campaign(written(tmp_path))
    assert [cell.id for cell in campaign.cells()] == [
        f"{agent}-tank_fill_drain-{mode}-{number}"
        for number in (1, 2)
        for mode in ("oneshot_blind", "oracle_full")
        for agent in ("scripted", "other")
    ]
    assert [mode.submission_limit for mode in campaign.modes] == [3, None]
    first = campaign.entries[0]
    agent = tmp_path / "agent.py"
    assert first.agent.readable == (agent,)
    assert first.agent.command == ("python3", str(agent), "{prompt}")
    assert first.agent.limit_s == 3600
    assert first.sampling == {"temperature": 0.2}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "five-tasks"', "", r"campaign\.name: missing"),
        ('"oneshot_blind",', '"blind",', r"campaign\.modes: no mode named 'blind'"),
        ("repetitions = 2", "repetitions = 0", r"repetitions: must be 1 or more"),
        ("repetitions = 2", "repeats = 2", r"unknown key.*do you mean 'repetitions'"),
        ("repetitions = 2", "time_limit_s = 0", r"time_limit_s: must be 1 or more"),
        ("repetitions = 2", 'verdict = "first"', r"must be one of last, best"),
        ("repetitions = 2", 'sandbox = "on"', r"must be one of auto, require, off"),
        ("oneshot_blind = 3", "oneshot_blind = -1", r"0 for no limit"),
        ("oneshot_blind = 3", "ci_red_green = 1", r"ci_red_green: is no mode of this"),
        ('label = "other"', 'label = "scripted"', r"agent: 'scripted' is there twice"),
        ('label = "other"', 'label = "a/b"', r"agent\[1\]\.label: 'a/b'"),
        ('command = ["true"]', "command = []", r"command: must be a non-empty list"),
        ('path = "TASK"', 'path = "nowhere"', r"nowhere is no task package"),
    ],
)
def test_what_makes_no_sense_is_named(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    assert before in CAMPAIGN
    file = written(tmp_path, CAMPAIGN.replace(before, after))
    with pytest.raises(ConfigError, match=said) as raised:
        read_campaign(file)
    assert str(file) in str(raised.value)


def test_shards_are_all_of_it_once() -> None:
    names = [f"agent-task-mode-{number}" for number in range(200)]
    for parts in (1, 3, 16):
        shards = [parse_shard(f"{part}/{parts}") for part in range(1, parts + 1)]
        held = [[name for name in names if shard.holds(name)] for shard in shards]
        assert sorted(name for part in held for name in part) == sorted(names)
        assert min(map(len, held)) > 0
    assert parse_shard("").holds("anything")


@pytest.mark.parametrize("words", ["0/3", "4/3", "1", "a/b", "1/0", "1/3/4", "-1/3"])
def test_a_shard_that_makes_no_sense_is_refused(words: str) -> None:
    with pytest.raises(ConfigError, match="say I/N"):
        parse_shard(words)
