"""Options: one table makes command line, ini keys and environment agree.

A product has a table of its own: it adds that in ``pytest_addoption``, and reads its
options as the bench reads its own.

Precedence: command line > ini > environment > default.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Setting(NamedTuple):  # quicker to start with than a dataclass
    """One setting. ``name`` has words joined by ``_`` and no prefix."""

    name: str
    flag: str
    metavar: str
    help: str
    default: str = ""
    default_text: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()

    @property
    def dest(self) -> str:
        """The attribute in ``config.option``."""
        return f"embedbench_{self.name}"

    @property
    def env(self) -> str:
        """The environment variable."""
        return f"EMBEDBENCH_{self.name.upper()}"

    def full_help(self) -> str:
        """The help text with every other way to set it."""
        default = self.default_text or self.default or "none"
        repeat = " (repeatable)" if self.many else ""
        return (
            f"{self.help}{repeat} [ini: {self.dest}; env: {self.env}; "
            f"default: {default}]"
        )


OPTIONS = (
    Setting(
        name="board",
        flag="--board",
        metavar="NAME",
        help="Run tests that use the 'board' fixture on this board",
        many=True,
    ),
    Setting(
        name="firmware",
        flag="--embedbench-firmware",
        metavar="DIR",
        help="The submission under test; 'solution' is a suite's own reference",
        default_text="the suite's own project, its starter",
    ),
    Setting(
        name="lab",
        flag="--embedbench-lab",
        metavar="FILE",
        help="The lab file: real boards, which --board can then name",
    ),
    Setting(
        name="seed",
        flag="--embedbench-seed",
        metavar="N",
        help="What all chance in faults comes from, a whole number",
        default="0",
    ),
    Setting(
        name="artifacts",
        flag="--embedbench-artifacts",
        metavar="DIR",
        help="Where each run puts its folder of transcripts, traces and plots",
        default=".embedbench/runs",
        default_text=".embedbench/runs under the rootdir",
    ),
    Setting(
        name="require",
        flag="--embedbench-require",
        metavar="NAME",
        help="A board or engine (or 'all') whose absence is an error, not a skip",
        many=True,
    ),
    Setting(
        name="option",
        flag="--embedbench-option",
        metavar="NAME.KEY=VALUE",
        help="An option of a board, or of all boards of an engine",
        default_text="as in the board's datasheet",
        many=True,
    ),
    Setting(
        name="plots",
        flag="--embedbench-plots",
        metavar="WHEN",
        help="Draw plot.svg for each closed-loop run: always, failed or never",
        default="always",
        choices=("always", "failed", "never"),
    ),
    Setting(
        name="builder",
        flag="--embedbench-builder",
        metavar="NAME",
        help="What builds the firmware",
        default="platformio",
    ),
    Setting(
        name="pio",
        flag="--embedbench-pio",
        metavar="FILE",
        help="The PlatformIO program",
        default_text="pio on PATH, else python -m platformio",
    ),
    Setting(
        name="core",
        flag="--embedbench-core",
        metavar="DIR",
        help="PlatformIO's core directory",
        default_text="what 'embedbench setup' made, else PlatformIO's own",
    ),
    Setting(
        name="cache",
        flag="--embedbench-cache",
        metavar="DIR",
        help="Where firmware images are kept, shared by workers and runs",
        default_text="embedbench in the user's cache directory",
    ),
)
_BY_NAME = {option.name: option for option in OPTIONS}

MARKERS = (
    "erase(what): wipe 'nvs' or 'all' of a real board's flash before this test",
    "needs(*capabilities): skip on boards that lack one of these, such as 'reset'",
)


def add_settings(parser: pytest.Parser, table: Iterable[Setting]) -> None:
    """Register a table of options with pytest."""
    group = parser.getgroup("embedbench", "hardware-in-the-loop benches")
    for option in table:
        group.addoption(
            option.flag,
            dest=option.dest,
            action="append" if option.many else "store",
            metavar=option.metavar,
            help=option.full_help(),
            default=None,
        )
        kind: Literal["args", "string"] = "args" if option.many else "string"
        parser.addini(option.dest, option.full_help(), type=kind, default=None)


def any_set(config: pytest.Config) -> bool:
    """Say whether anybody has set any option of the bench."""
    return any(_first_set(config, option)[0] for option in OPTIONS)


def setting(config: pytest.Config, which: Setting | str) -> str:
    """Return the value of a single-valued option, ``""`` if nobody set it.

    Args:
        config: What pytest knows.
        which: The option, or the name of one of the bench's own.

    Raises:
        pytest.UsageError: the value is not one of the option's choices.
    """
    option = _setting(which)
    value, where = _first_set(config, option)
    chosen = value[-1] if value else option.default
    if option.choices and chosen not in option.choices:
        listed = ", ".join(option.choices)
        message = f"{where}: {chosen!r} is not one of: {listed}"
        raise pytest.UsageError(message)
    return chosen


def settings(config: pytest.Config, which: Setting | str) -> tuple[str, ...]:
    """Return the values of a repeatable option, without repetitions."""
    value, _ = _first_set(config, _setting(which))
    return tuple(dict.fromkeys(value))


def path_setting(config: pytest.Config, which: Setting | str) -> Path | None:
    """Return the path an option names, if any.

    Relative paths start where they are written: an ini's (and a default's) at the
    rootdir, the command line's and the environment's where pytest was called.
    """
    text = setting(config, which)
    if not text:
        return None
    _, where = _first_set(config, _setting(which))
    typed_here = where.startswith(("--", "EMBEDBENCH_"))
    base = config.invocation_params.dir if typed_here else config.rootpath
    return base / Path(text).expanduser()


def _setting(which: Setting | str) -> Setting:
    return _BY_NAME[which] if isinstance(which, str) else which


def _first_set(config: pytest.Config, option: Setting) -> tuple[Sequence[str], str]:
    from_cli = config.getoption(option.dest)
    if from_cli:
        return ([from_cli] if isinstance(from_cli, str) else from_cli), option.flag
    from_ini = config.getini(option.dest)
    if from_ini:
        return ([from_ini] if isinstance(from_ini, str) else from_ini), option.dest
    from_env = os.environ.get(option.env, "")
    if from_env:
        return (from_env.split() if option.many else [from_env]), option.env
    return [], "default"
