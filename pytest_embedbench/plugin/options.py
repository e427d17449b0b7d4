"""Options: one table makes command line, ini keys and environment agree.

A product has a table of its own: it adds that in ``pytest_addoption``, and reads its
options as the bench reads its own: command line > ini > environment > default.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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
    whole: bool = False
    """Whether it is a whole number, ``least`` or more."""
    least: int = 0
    alone: str = ""
    """What the flag says without a value; it has to have one, if this is empty."""

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


RESUME = Setting(
    name="resume",
    flag="--embedbench-resume",
    metavar="RUN",
    help="Go on with a run on submissions or answers; what has changed is judged anew",
    default_text="none; without a name it is the latest",
    alone="latest",
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
        name="image",
        flag="--embedbench-image",
        metavar="[BOARD=]FILE",
        help="A firmware that is built already, for a board or for all",
        default_text="what is built of the project",
        many=True,
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
        whole=True,
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
        name="environment",
        flag="--embedbench-environment",
        metavar="[BOARD=]NAME",
        help="The environment of platformio.ini that is built, for a board or for all",
        default_text="the one of the board's name, else of its board or chip",
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
        help="Draw closed-loop runs and circuits (SVG): always, failed or never",
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
        name="libraries",
        flag="--embedbench-libraries",
        metavar="DIR",
        help="A folder of libraries that lib_deps are taken from",
        default_text="what 'embedbench setup --libraries' named",
        many=True,
    ),
    Setting(
        name="build_limit",
        flag="--embedbench-build-limit",
        metavar="SECONDS",
        help="How long one build of a firmware may take",
        default="600",
        whole=True,
        least=1,
    ),
    Setting(
        name="cache",
        flag="--embedbench-cache",
        metavar="DIR",
        help="Where firmware images are kept, shared by workers and runs",
        default_text="embedbench in the user's cache directory",
    ),
    RESUME,
)
_BY_NAME = {option.name: option for option in OPTIONS}
_JUDGED: dict[str, Setting] = {}
"""Those of the bench and of products whose values can be wrong by themselves."""

MARKERS = (
    "image(file): run this prebuilt firmware, relative to the test's file",
    "erase(what): wipe 'nvs' or 'all' of a real board's flash before this test",
    "needs(*capabilities): skip on boards that lack one of these, such as 'reset'",
)


def add_settings(parser: pytest.Parser, table: Iterable[Setting]) -> None:
    """Register a table of options with pytest."""
    group = parser.getgroup("embedbench", "hardware-in-the-loop benches")
    for option in table:
        if option.choices or option.whole:
            _JUDGED[option.dest] = option
        without: dict[str, Any] = {"nargs": "?", "const": option.alone}
        group.addoption(
            option.flag,
            dest=option.dest,
            action="append" if option.many else "store",
            metavar=option.metavar,
            help=option.full_help(),
            default=None,
            **(without if option.alone else {}),
        )
        kind: Literal["args", "string"] = "args" if option.many else "string"
        parser.addini(option.dest, option.full_help(), type=kind, default=None)


def check_values(config: pytest.Config) -> None:
    """Insist on values that can be, of the bench's options and of all products'.

    Raises:
        pytest.UsageError: naming where the value was given, and what it may be.
    """
    for option in _JUDGED.values():
        if hasattr(config.option, option.dest):  # else of another run in this process
            setting(config, option)


def any_set(config: pytest.Config) -> bool:
    """Say whether anybody has set any option of the bench."""
    return any(_first_set(config, option)[0] for option in OPTIONS)


def setting(config: pytest.Config, which: Setting | str) -> str:
    """Return the value of a single-valued option, ``""`` if nobody set it.

    ``which`` is the option, or the name of one of the bench's own.

    Raises:
        pytest.UsageError: the value is none that the option can have.
    """
    option = _setting(which)
    value, where = _first_set(config, option)
    chosen = value[-1] if value else option.default
    if option.choices and chosen not in option.choices:
        listed = ", ".join(option.choices)
        message = f"{where}: {chosen!r} is not one of: {listed}"
        raise pytest.UsageError(message)
    if option.whole and not chosen.isdecimal():
        raise pytest.UsageError(f"{where}: {chosen!r} is not a whole number")
    if option.whole and int(chosen) < option.least:
        raise pytest.UsageError(f"{where}: {chosen} is less than {option.least}")
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
    return written_path(config, which, text) if text else None


def path_settings(config: pytest.Config, which: Setting | str) -> tuple[Path, ...]:
    """Return the paths that a repeatable option names, as ``path_setting`` does."""
    return tuple(written_path(config, which, text) for text in settings(config, which))


def written_path(config: pytest.Config, which: Setting | str, text: str) -> Path:
    """Return the path that is written in an option, from where that starts."""
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
