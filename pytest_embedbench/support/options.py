"""The options of a board: a dataclass says which there are, one reader checks them.

An engine describes what it takes, and reads it where it boots::

    @dataclass(frozen=True, kw_only=True)
    class ProbeOptions:
        probe: str = option("", "serial number of the debug probe")
        speed_hz: int = option(1_000_000, "of the probe's clock", lowest=1_000)
        reset: str = option("hard", "how it presses reset", choices=("hard", "soft"))


    options = read_options(spec, ProbeOptions)

A field may be text, a whole number, a number, true or false, a tuple of text, or an
enumeration of texts; without a default it has to be given.
"""

from __future__ import annotations

import enum
import warnings
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import KIND_NAMES, unknown_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.model import BoardSpec

LAB_TABLES = ("flash", "reset", "power", "login", "program")
"""The tables of a lab file's board: ``command`` in ``reset`` is ``reset_command``."""
_METADATA = "embedbench"
_KIND_NAMES: Mapping[type, str] = {float: "a number", tuple: "a non-empty list of text"}
"""What a table of TOML has stricter or looser words for."""
_T = TypeVar("_T")
_described: dict[type, Mapping[str, OptionField]] = {}
"""What was found out already: evaluating annotations takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """One option: what it may be, and what it is for."""

    name: str = ""
    kind: type = str
    """``str``, ``int``, ``float``, ``bool``, ``tuple``, ``Path`` or an enumeration."""
    default: object = None
    is_required: bool = False
    help: str = ""
    default_text: str = ""
    formerly: str = ""
    lowest: float | None = None
    highest: float | None = None
    choices: tuple[str | int, ...] = ()

    def allowed(self) -> str:
        """Return what it may be, in words: ``a whole number, 0 or more``."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        what = _KIND_NAMES.get(self.kind) or KIND_NAMES[self.kind]
        if self.lowest is not None and self.highest is not None:
            return f"{what}, {self.lowest:g} to {self.highest:g}"
        if self.lowest is not None:
            return f"{what}, {self.lowest:g} or more"
        return what if self.highest is None else f"{what}, {self.highest:g} or less"

    def allows(self, value: object) -> bool:
        """Say whether ``value``, as TOML or a command line has it, may be given."""
        if self.choices:
            # 1 == True and 1 == 1.0, so the types count too.
            return any(
                value == choice and type(value) is type(choice)
                for choice in self.choices
            )
        if self.kind is tuple:
            return _is_list_of_text(value)
        if self.kind is bool or isinstance(value, bool):
            return self.kind is bool and isinstance(value, bool)
        if self.kind in (int, float):
            kinds = (int, float) if self.kind is float else (int,)
            return isinstance(value, kinds) and self._is_in_range(value)
        return isinstance(value, str)

    def converted(self, value: Any) -> object:  # noqa: ANN401  # checked by ``allows``
        """Return an allowed value as the dataclass has it."""
        return value if isinstance(value, self.kind) else self.kind(value)

    def markdown(self) -> str:
        """Return its row in a table of the documentation: name, default, help."""
        default = self.default_text or _default_text(self.default)
        return f"| `{self.name}` | {default} | {self.help} |"

    def _is_in_range(self, value: float) -> bool:
        return (self.lowest is None or value >= self.lowest) and (
            self.highest is None or value <= self.highest
        )


def option(  # noqa: PLR0913  # by keyword, and each is of use alone
    default: _T,
    help: str = "",  # noqa: A002  # as argparse calls it
    *,
    lowest: float | None = None,
    highest: float | None = None,
    choices: Sequence[str | int] = (),
    default_text: str = "",
    formerly: str = "",
) -> _T:
    """Describe a field of a dataclass of options.

    Args:
        default: What it is if nobody gives it.
        help: What it is for, as it stands in the documentation's table.
        lowest: The smallest number that makes sense.
        highest: The biggest one.
        choices: All that it may be.
        default_text: What the default means, where its value does not say so.
        formerly: A name that it had, which still works and warns.
    """
    about = OptionField(
        help=help,
        lowest=lowest,
        highest=highest,
        choices=tuple(choices),
        default_text=default_text,
        formerly=formerly,
    )
    described: _T = field(default=default, metadata={_METADATA: about})
    return described


def option_fields(kind: type) -> Mapping[str, OptionField]:
    """Return the options that a dataclass describes, by name."""
    if kind not in _described:
        # Modules whose annotations are never evaluated need not import ``Path``.
        hints = get_type_hints(kind, localns={"Path": Path})
        _described[kind] = {
            entry.name: _field(entry.name, hints[entry.name], entry)
            for entry in fields(kind)
            if get_origin(hints[entry.name]) is not ClassVar
        }
    return _described[kind]


def read_options(
    spec: BoardSpec, kind: type[_T], *, ignoring: str | tuple[str, ...] = ()
) -> _T:
    """Return the options of a board as a dataclass.

    Args:
        spec: The board.
        kind: The dataclass; see ``option``.
        ignoring: Options whose names begin like this are somebody else's.

    Raises:
        ConfigError: one is unknown, missing, of another type or out of range; the
            message has board or lab file, key, value and what is allowed.
    """
    own = {
        key: value
        for key, value in spec.options.items()
        if not key.startswith(ignoring or ())
    }
    known = option_fields(kind)
    return kind(**check_options(own, known, lambda key: option_location(spec, key)))


def check_options(
    values: Mapping[str, object],
    known: Mapping[str, OptionField],
    location: Callable[[str], str],
) -> dict[str, Any]:
    """Return ``values`` as the fields have them; ``location`` names a key's place.

    Raises:
        ConfigError: one is unknown, missing, of another type or out of range.
    """
    values = _under_new_names(values, known, location)
    for key in values:
        if key not in known:
            raise unknown_key(location(key), key, known)
    for key, about in known.items():
        if about.is_required and key not in values:
            raise ConfigError(f"{location(key)}: missing; must be {about.allowed()}")
    return {
        key: _checked(known[key], value, location(key)) for key, value in values.items()
    }


def _under_new_names(
    values: Mapping[str, object],
    known: Mapping[str, OptionField],
    location: Callable[[str], str],
) -> Mapping[str, object]:
    new_names = {about.formerly: name for name, about in known.items()}
    for key in values:
        if key and key in new_names:
            message = f"{location(key)}: is called {new_names[key]} now"
            if new_names[key] in values:
                raise ConfigError(f"{message}: give one of them")
            warnings.warn(message, DeprecationWarning, stacklevel=2)
    return {new_names.get(key, key): value for key, value in values.items()}


def option_location(spec: BoardSpec, key: str) -> str:
    """Return where an option stands: in a lab file, by its table there, or a board."""
    lab = str(spec.options.get("lab", ""))
    if not lab:
        return f"board {spec.name!r}: options.{key}"
    table, _, rest = key.partition("_")
    inner = f"{table}.{rest}" if rest and table in LAB_TABLES else f"options.{key}"
    return f"{lab}: boards.{spec.name}.{inner}"


def _field(name: str, hint: Any, entry: Any) -> OptionField:  # noqa: ANN401
    about = entry.metadata.get(_METADATA, OptionField())
    kinds = [part for part in get_args(hint) or (hint,) if part is not type(None)]
    kind: type[Any] = tuple if get_origin(hint) is tuple else kinds[0]
    choices = about.choices
    if issubclass(kind, enum.Enum):
        choices = tuple(member.value for member in kind)
    return OptionField(
        name=name,
        kind=kind,
        default=None if entry.default is MISSING else entry.default,
        is_required=entry.default is MISSING and entry.default_factory is MISSING,
        help=about.help,
        default_text=about.default_text,
        formerly=about.formerly,
        lowest=about.lowest,
        highest=about.highest,
        choices=choices,
    )


def _checked(about: OptionField, value: object, location: str) -> object:
    if not about.allows(value):
        raise ConfigError(f"{location}: must be {about.allowed()}, is {value!r}")
    return about.converted(value)


def _is_list_of_text(value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    words = cast("Sequence[object]", value)
    return bool(words) and all(isinstance(word, str) for word in words)


def _default_text(default: object) -> str:
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, int | float):
        return f"{default:_}"
    return f"`{default}`" if default else ""
