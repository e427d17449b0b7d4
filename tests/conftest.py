"""What all tests share."""

from __future__ import annotations

import contextlib
import fcntl
import signal
import socket
import struct
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# A package of its own: an inner run that has it installed collects its tests.
collect_ignore = ["thirdparty_package"]

TEST_WITHIN_S = 300

# What not every distribution brings, or no ordinary machine lets us do.
_MAY_BE_ABSENT = ("Espressif", "choose its addresses", "no browser")

# Neither how fast the machine is nor what it did before decides a property test.
settings.register_profile(
    "embedbench",
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow,),
)
settings.load_profile("embedbench")

_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 0x1
_IFREQ = "16sH22x"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Limit each test's time, before pytest-timeout reads its options.

    Not in ``pyproject.toml``: who runs example suites here need not have that plugin.
    """
    if config.getoption("timeout", 0) is None:
        config.option.timeout = TEST_WITHIN_S
    _heed_interrupts()
    _bring_up_loopback()


def _heed_interrupts() -> None:
    """Have what tests start be interrupted where we were started to ignore that.

    A shell starts what it leaves in the background so, and all below it.
    """
    for number, ordinary in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGQUIT, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, ordinary)


def _bring_up_loopback() -> None:
    """Bring up the loopback interface of a network namespace that has just been made.

    ``unshare -n scripts/test`` is how to see that nothing needs a network; what is
    tested over 127.0.0.1 needs the machine itself all the same. Only root can, and
    where nobody can, those tests say so.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET) as probe:
        answer = fcntl.ioctl(probe, _SIOCGIFFLAGS, struct.pack(_IFREQ, b"lo", 0))
        flags = struct.unpack(_IFREQ, answer)[1]
        if not flags & _IFF_UP:
            up = struct.pack(_IFREQ, b"lo", flags | _IFF_UP)
            fcntl.ioctl(probe, _SIOCSIFFLAGS, up)


@pytest.fixture(scope="session", autouse=True)
def inner_temporary_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the pytests that tests start a place of their own for what is temporary.

    A pytest that ends clears away what earlier ones have left, all sessions' of this
    user: minutes, within whatever test starts the first.
    """
    with pytest.MonkeyPatch.context() as environment:
        root = tmp_path_factory.mktemp("inner")
        environment.setenv("PYTEST_DEBUG_TEMPROOT", str(root))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure no coverage while a test looks at the host's clock: it costs time."""
    coverage = sys.modules.get("coverage")
    measured = coverage.Coverage.current() if coverage else None
    if measured is None or item.get_closest_marker("host_time") is None:
        return (yield)
    measured.stop()
    try:
        return (yield)
    finally:
        measured.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where engines are required (``scripts/test``), let no other test skip either."""
    report = yield
    if (
        report.skipped
        and call.excinfo is not None
        and not hasattr(report, "wasxfail")
        and item.config.getoption("embedbench_require")
    ):
        reason = str(call.excinfo.value)
        if not any(words in reason for words in _MAY_BE_ABSENT):
            report.outcome = "failed"
            report.longrepr = f"skipped, where nothing may be missing: {reason}"
    return report
