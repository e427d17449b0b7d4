"""A campaign from one command: agents in their sandbox, judged, and a table."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.processes import sandbox
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

TANK = SUITES / "tank_fill_drain"
AGENT = """
import json, os, pathlib, subprocess, sys
with open(os.environ["EMBEDBENCH_AGENT_REPORT"], "a") as report:
    report.write(json.dumps({"tool_calls": 2, "input_tokens": 9}) + "\\n")
for file in pathlib.Path(sys.argv[1]).iterdir() if len(sys.argv) > 1 else ():
    pathlib.Path("src", file.name).write_bytes(file.read_bytes())
print(subprocess.run(["embedbench", "submit"], capture_output=True, text=True))
"""


@pytest.fixture
def campaign(
    tmp_path: Path, seeded: CoreSetup, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.setenv("EMBEDBENCH_CORE", str(seeded.core_dir))
    if sandbox.missing() is not None:
        pytest.skip("no bubblewrap here: apt-get install bubblewrap")
    (tmp_path / "agent.py").write_text(AGENT)
    solution = TANK / "solution" / "src"
    file = tmp_path / "campaign.toml"
    command = ["python3", str(tmp_path / "agent.py")]
    file.write_text(
        f"""
        [campaign]
        name = "try"
        modes = ["oneshot_blind"]
        boards = ["native"]
        profile = "paper"
        sandbox = "require"
        [[agent]]
        label = "good"
        command = {json.dumps([*command, str(solution)])}
        readable = ["agent.py", "{solution}"]
        [[agent]]
        label = "bad"
        command = {json.dumps(command)}
        readable = ["agent.py"]
        [[task]]
        path = "{TANK}"
        """
    )
    return file


def run(campaign: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "pytest_embedbench.cli", "campaign", campaign)
    return subprocess.run(
        [*command, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=campaign.parent,
    )


def test_a_campaign_is_run_by_one_command(campaign: Path) -> None:
    first = run(campaign, "-n2")
    assert first.returncode == 0, first.stdout
    assert "good   tank_fill_drain  oneshot_blind  1           PASS " in first.stdout
    assert "bad    tank_fill_drain  oneshot_blind  1           HOST " in first.stdout
    latest = campaign.parent / ".embedbench/runs/latest"
    rows = json.loads((latest / "results.json").read_text())["rows"]
    assert [(row["agent"], row["verdict"]) for row in rows] == [
        ("bad", "HOST"),
        ("good", "PASS"),
    ]
    assert rows[1]["usage"]["total"]["total_tokens"] == 9
    assert rows[1]["sandbox"] == "bubblewrap"
    assert rows[1]["scenarios"]["sensor_timeout"] is True
    assert rows[0]["scenarios"]["happy_path"] is False
