"""Where we keep things between runs."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pytest_embedbench.errors import BenchFault

CACHE_TAG = "CACHEDIR.TAG"
"""What says of a folder that it is a cache (https://bford.info/cachedir/)."""
_TAGGED = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of embedbench.\n"


def made_cache(folder: Path) -> Path:
    """Make the folder of a cache, and say that it is one: backups pass it over.

    So do builds of a project that it lies in, which would else copy themselves.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / CACHE_TAG).exists():
        (folder / CACHE_TAG).write_text(_TAGGED, encoding="ascii")
    return folder


def cache_root() -> Path:
    """Return the default folder for images and builds.

    ``EMBEDBENCH_CACHE``, else ``~/.cache/embedbench``. A user without a home that can
    be written to (``docker run --user``) has one among the temporary files.
    """
    if own := os.environ.get("EMBEDBENCH_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(base) if Path(base).is_absolute() else home_dir() / ".cache"
    return home / "embedbench"


def home_dir() -> Path:
    """Return the user's home, or what stands in for one that cannot be written to.

    Raises:
        BenchFault: that is somebody else's.
    """
    try:
        home = Path.home()
    except RuntimeError:  # nobody knows the user, and HOME is not set
        home = Path("/nonexistent")
    if os.access(home, os.W_OK | os.X_OK):
        return home
    instead = Path(tempfile.gettempdir()) / f"embedbench-home-{os.getuid()}"
    instead.mkdir(mode=0o700, exist_ok=True)
    if instead.is_symlink() or instead.stat().st_uid != os.getuid():
        raise BenchFault(f"{instead} is somebody else's: set HOME, or EMBEDBENCH_CACHE")
    return instead


def example_suite_places() -> tuple[Path, ...]:
    """Return where our example suites, hidden checks among them, are or may be.

    They are in a wheel; where the package is installed from a checkout they are there,
    and a copy of them where wheels go.
    """
    inside = Path("pytest_embedbench", "example_suites")
    here = Path(__file__).parents[2]
    found = {here / inside, here / inside.name}
    found |= {Path(entry or ".").absolute() / inside for entry in sys.path}
    return tuple(sorted(path for path in found if path.is_dir()))
