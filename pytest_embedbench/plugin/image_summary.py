"""What a report says of the images that tests ran: found in the cache, or built."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from pytest_embedbench.bench.images import ImageCache

_BUILT, _FOUND = "embedbench_images_built", "embedbench_images_found"
_ONCE = "embedbench_built_once_per_run"


def properties(images: ImageCache) -> Iterator[tuple[str, str]]:
    """Yield what has been asked of a cache since then, as user properties."""
    asked = images.take_counts()
    for name, count in ((_BUILT, asked.built), (_FOUND, asked.found)):
        if count:
            yield name, str(count)
    for reason in sorted(asked.untold):
        yield _ONCE, reason


def summary(reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Yield a line on all images of a run, and one per reason to build in each run."""
    counts = Counter[str]()
    reasons: dict[str, None] = {}
    for reports in reporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name in {_BUILT, _FOUND}:
                    counts[name] += int(value)
                elif name == _ONCE:
                    reasons[str(value)] = None
    if counts:
        yield f"images: {counts[_BUILT]} built, {counts[_FOUND]} found in the cache"
    for reason in reasons:
        yield f"built once per run, for it may read anything: {reason}"
