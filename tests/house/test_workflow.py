"""The workflow file for a public host says what this checkout can do."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="pip install 'pytest-embedbench[test]'")
ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = re.compile(r"(actions/[\w-]+|pypa/gh-action-pypi-publish)@[0-9a-f]{40}")
# Who hands a release over runs nothing of ours, and is let in by what it is.
PUBLISHES = {"id-token": "write"}
EXTRA = re.compile(r"\.\[([\w,-]+)\]")


def jobs() -> list[Any]:
    return [
        pytest.param(job, id=f"{path.stem}-{name}")
        for path in WORKFLOWS
        for name, job in yaml.safe_load(path.read_text())["jobs"].items()
    ]


@pytest.mark.parametrize("job", jobs())
def test_what_a_job_runs_is_here(job: dict[str, Any]) -> None:
    commands = [shlex.split(step["run"]) for step in job["steps"] if "run" in step]
    assert bool(commands) == (job["permissions"] != PUBLISHES)
    for words in commands:
        match words:
            case ["bash", script]:
                assert (ROOT / script).is_file()
            case ["python", "-m", "pip", "install", "--editable", what]:
                found = EXTRA.fullmatch(what)
                assert found
                assert found[1] in PROJECT["optional-dependencies"]
            case ["python", "-m", "pytest", *arguments]:
                places = [word.rpartition("=")[2] for word in arguments]
                places = [place for place in places if place.startswith("tests")]
                assert [place for place in places if not (ROOT / place).is_dir()] == []
            case _:
                pytest.fail(f"what is {words}?")


@pytest.mark.parametrize("job", jobs())
def test_a_job_may_only_read_and_takes_actions_by_their_commit(
    job: dict[str, Any],
) -> None:
    assert job["permissions"] in ({"contents": "read"}, PUBLISHES)
    taken = [step["uses"] for step in job["steps"] if "uses" in step]
    assert taken
    assert [action for action in taken if not PINNED.fullmatch(action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_is_permitted_beyond_what_a_job_asks_for(path: Path) -> None:
    assert yaml.safe_load(path.read_text())["permissions"] == {}


def test_every_python_that_the_package_is_for_is_tested() -> None:
    tested = {
        version
        for path in WORKFLOWS
        for job in yaml.safe_load(path.read_text())["jobs"].values()
        for version in job.get("strategy", {}).get("matrix", {}).get("python", ())
    }
    named = "Programming Language :: Python :: "
    promised = {
        classifier.removeprefix(named)
        for classifier in PROJECT["classifiers"]
        if re.fullmatch(re.escape(named) + r"3\.\d+", classifier)
    }
    assert tested == promised
    assert min(promised, key=lambda version: int(version.partition(".")[2])) == (
        PROJECT["requires-python"].removeprefix(">=")
    )
