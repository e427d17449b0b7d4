"""The pytest plugin of the page: hooks by name, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.plugin.options import Setting, add_settings, path_setting
from pytest_embedbench.plugin.stash import TESTLOG, in_use, session_of
from pytest_embedbench.plugin.workers import input_of

if TYPE_CHECKING:
    from collections.abc import Generator

REPORT = Setting(
    name="report",
    flag="--embedbench-report",
    metavar="FILE.html",
    help="Write the run as one page for a browser, also if it is interrupted",
)
_DONE: pytest.StashKey[bool] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option, its ini key and environment."""
    add_settings(parser, (REPORT,))


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a place where no page can be, before anything runs.

    Raises:
        pytest.UsageError: naming the place.
    """
    file = path_setting(config, REPORT)
    if file is None or input_of(config):
        return
    if file.is_dir():
        message = f"--embedbench-report: {file} is a folder: name a file in it"
        raise pytest.UsageError(message)
    if any(place.is_file() for place in file.parents):
        message = f"--embedbench-report: {file.parent} is no folder"
        raise pytest.UsageError(message)
    session_of(config)


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_test_record(item: pytest.Item, record: dict[str, Any]) -> None:
    """Add to a test's record how the time of its plants lies on that of its board."""
    if TESTLOG in item.stash and (benches := item.stash[TESTLOG].benches):
        from pytest_embedbench.report_page.plugin import plant_clocks  # noqa: PLC0415

        if clocks := plant_clocks.of_benches(benches, item.stash[TESTLOG].folder()):
            record["plant_clocks"] = clocks


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(
    session: pytest.Session, exitstatus: int
) -> Generator[None, None, None]:
    """Write down what ran; and the page, where there is no terminal to say it on."""
    if not input_of(session.config) and in_use(session.config):
        from pytest_embedbench.report_page.plugin import run_record  # noqa: PLC0415

        run_record.write(session.config, int(exitstatus))
    yield
    if not input_of(session.config):
        _write(session.config)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the page, when all else has been written, and say where it is."""
    if line := _write(config):
        terminalreporter.write_line(f"embedbench: {line}")


def _write(config: pytest.Config) -> str:
    """Write the page once, if it is asked for; return what there is to say of it."""
    file = path_setting(config, REPORT)
    if file is None or config.stash.get(_DONE, False):
        return ""
    config.stash[_DONE] = True
    from pytest_embedbench.errors import ConfigError  # noqa: PLC0415  # late
    from pytest_embedbench.report_page.page import write_page  # noqa: PLC0415  # late
    from pytest_embedbench.report_page.run_folder import read_run  # noqa: PLC0415

    try:
        size = write_page(file, [read_run(session_of(config).run_dir)])
    except ConfigError as error:
        return f"no report page: {error}"
    return f"report page in {file} ({size / 1e6:.1f} MB)"
