"""Go on with an earlier run, in its own folder, for products that keep a journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from pytest_embedbench.plugin.options import RESUME, path_setting, setting
from pytest_embedbench.plugin.stash import RUN_NAME, session_of
from pytest_embedbench.plugin.workers import input_of

_LOCK = ".lock"
_HELD: pytest.StashKey[FileLock] = pytest.StashKey()
_SHOWN_RUNS = 3


def choose_run(config: pytest.Config, journal: str, what: str) -> None:
    """Take the name of the run that is to go on, if one is.

    Args:
        config: What pytest knows.
        journal: What lies in a run's folder that can go on.
        what: Such a run, in words.

    Raises:
        pytest.UsageError: there is no such run.
    """
    wanted = setting(config, RESUME)
    if not wanted or input_of(config) or RUN_NAME in config.stash:
        return
    root = path_setting(config, "artifacts")
    assert root is not None, "the option has a default"
    found = root.glob(f"*/{journal}")
    known = sorted(file.relative_to(root).parts[0] for file in found)
    runs = [name for name in known if not (root / name).is_symlink()]
    if wanted == RESUME.alone and runs:
        wanted = runs[-1]
    if Path(wanted).name not in runs:
        latest = ", ".join(runs[-_SHOWN_RUNS:]) or "none"
        raise pytest.UsageError(
            f"{RESUME.flag}: {wanted!r} is no {what} in {root}; "
            f"the latest are: {latest}"
        )
    config.stash[RUN_NAME] = Path(wanted).name


def check_taken(config: pytest.Config) -> None:
    """Insist that a run that is to go on has been chosen by somebody.

    Raises:
        pytest.UsageError: nobody has, as nothing says what is judged.
    """
    if setting(config, RESUME) and RUN_NAME not in config.stash:
        if input_of(config):
            return
        raise pytest.UsageError(
            f"{RESUME.flag} goes on with a run on many submissions or answers, or of a "
            "campaign: say which with --embedbench-submissions=DIR, "
            "--embedbench-answers=FILE or --embedbench-campaign=FILE, as before"
        )


def hold(config: pytest.Config) -> Path:
    """Return the run's folder, which no other pytest has meanwhile.

    Raises:
        pytest.UsageError: another pytest is at work in it.
    """
    run_dir = session_of(config).run_dir
    run_dir.mkdir(parents=True, exist_ok=True)
    if _HELD in config.stash:
        return run_dir
    lock = FileLock(run_dir / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"{RESUME.flag}: another pytest is at work in {run_dir}"
        raise pytest.UsageError(message) from None
    config.stash[_HELD] = lock
    config.add_cleanup(lock.release)
    return run_dir
