"""Find engines, builders, boards and plants by name, through entry points.

The one place that imports by name, and the one place that imports late: nothing is
loaded until a test asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.overrides import apply_overrides
from pytest_embedbench.contracts import (
    Builder,
    Engine,
    KnowsCapabilities,
    Plant,
    TakesSettings,
    lacking,
)
from pytest_embedbench.datasheet import load_board
from pytest_embedbench.errors import ConfigError, EmbedbenchError, UnknownName
from pytest_embedbench.model import BuilderSettings
from pytest_embedbench.support.modules import load_name
from pytest_embedbench.support.values import check_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

    from pytest_embedbench.bench.overrides import Override
    from pytest_embedbench.lab.inventory.lab import Lab
    from pytest_embedbench.model import BoardSpec, Capability

PLANT_FILE = ".py:"
"""What is between file and class in the name of a plant that is a file's own."""


def installed(group: str) -> Iterable[EntryPoint]:
    """Return what installed packages have registered under ``group``."""
    return entry_points(group=group)


@dataclass(frozen=True, slots=True)
class Registry:
    """Names to things. Third parties are equals: all come in by entry point."""

    find: Callable[[str], Iterable[EntryPoint]] = installed
    lab: Path | None = None
    """A lab file: its boards, labels and pools are boards too, before all others."""
    overrides: tuple[Override, ...] = ()
    """Options of boards that take the place of their datasheets'."""
    _seen: dict[str, dict[str, EntryPoint]] = field(
        default_factory=dict["str", "dict[str, EntryPoint]"],
        init=False,
        repr=False,
        compare=False,
    )
    """What was found of each kind: looking at all that is installed takes a while."""
    _loaded: dict[tuple[str, str], Any] = field(
        default_factory=dict["tuple[str, str]", "Any"],
        init=False,
        repr=False,
        compare=False,
    )
    """What has been imported, by kind and name."""
    _read: dict[str, tuple[str, BoardSpec]] = field(
        default_factory=dict["str", "tuple[str, BoardSpec]"],
        init=False,
        repr=False,
        compare=False,
    )
    """Datasheets by the names of boards, each with the text that it was made of."""

    def __repr__(self) -> str:
        lab = f" with {self.lab.name}" if self.lab else ""
        return f"<Registry{lab}: {len(self.overrides)} overrides>"

    def __post_init__(self) -> None:
        if self.lab is not None:
            from pytest_embedbench.lab.inventory.labfile import load_lab  # noqa: PLC0415  # rarely

            load_lab.cache_clear()

    def engine(self, name: str) -> Engine:
        """Return an engine.

        Raises:
            ConfigError: what is registered under that name is none.
        """
        engine: Engine = self._make("engine", name, Engine)
        return engine

    def builder(self, name: str, settings: BuilderSettings | None = None) -> Builder:
        """Return a builder that heeds ``settings``, if it can.

        Raises:
            ConfigError: what is registered under that name is none.
        """
        builder: Builder = self._make("builder", name, Builder)
        if isinstance(builder, TakesSettings):
            return builder.with_settings(settings or BuilderSettings())
        return builder

    def plant(self, name: str, **parameters: object) -> Plant[Any]:
        """Return a plant with these start values.

        A task's own plant goes by file and class: ``/path/to/plant.py:Room``.

        Raises:
            ConfigError: the plant has no such parameter, or one of another type or
                range, or refuses its value.
        """
        if not _is_text(name):
            raise ConfigError(f"plant({name!r}): give the name of a plant, as text")
        make: Callable[..., Plant[Any]] = (
            _in_file(name) if PLANT_FILE in name else self._load("plant", name)
        )
        check_fields(make, parameters, f"plant {name!r}")
        try:
            plant = make(**parameters)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"plant {name!r}: {error}") from error
        _check_whole("plant", name, plant, Plant)
        if plant.tick_ms < 1:
            message = f"plant {name!r}: tick_ms must be 1 or more, is {plant.tick_ms}"
            raise ConfigError(message)
        return plant

    def board(self, name: str) -> BoardSpec:
        """Return a datasheet; other boards' files are not read."""
        lab = self._lab()
        if lab is not None and name in lab.names():
            spec = lab.spec(name, self._datasheet)
        else:
            spec = self._datasheet(name)
        return apply_overrides(spec, self.overrides)

    def lab_names(self) -> list[str]:
        """Return the names of boards that the lab file adds."""
        lab = self._lab()
        return lab.names() if lab is not None else []

    def names(self, kind: str) -> list[str]:
        """Return the sorted names of one kind: board, plant, engine, builder."""
        if kind == "board":
            return sorted({*self._board_files(), *self.lab_names()})
        return sorted(self._entries(kind))

    def boards_with(self, capability: Capability) -> list[str]:
        """Return the boards that can do something, as far as their engines know."""
        return [name for name in self.names("board") if self._can(name, capability)]

    def _can(self, board: str, capability: Capability) -> bool:
        try:
            spec = self.board(board)
            engine = self.engine(spec.engine)
            if isinstance(engine, KnowsCapabilities):
                return capability in engine.capabilities(spec)
        except EmbedbenchError:  # a broken one is for whoever asks for that board
            pass
        return False

    def _entries(self, kind: str) -> dict[str, EntryPoint]:
        if kind not in self._seen:
            found = self.find(f"embedbench.{kind}s")
            self._seen[kind] = {entry.name: entry for entry in found}
        return self._seen[kind]

    def _lab(self) -> Lab | None:
        if self.lab is None:
            return None
        from pytest_embedbench.lab.inventory.labfile import load_lab  # noqa: PLC0415  # rarely

        return load_lab(self.lab)

    def _datasheet(self, name: str) -> BoardSpec:
        files = self._board_files()
        if name not in files:
            known = self.names("board")
            raise UnknownName("board", name, known)
        text = _text_or_none(files[name])
        if text is None or self._read.get(name, ("",))[0] != text:
            self._read[name] = text or "", load_board(files[name])
        return self._read[name][1]

    def _board_files(self) -> dict[str, Traversable]:
        """Map board names to files; an entry point names a package with TOML files."""
        files: dict[str, Traversable] = {}
        for entry in self._entries("board").values():
            for file in resources.files(entry.value).iterdir():
                if file.name.endswith(".toml"):
                    files[file.name.removesuffix(".toml")] = file
        return files

    def _make(self, kind: str, name: str, protocol: type) -> Any:  # noqa: ANN401  # typed by callers
        """Make what is registered, and check once that it is what it should be."""
        try:
            thing = self._load(kind, name)()
        except TypeError as error:
            message = f"{kind} {name!r} cannot be made without arguments: {error}"
            raise ConfigError(message) from error
        _check_whole(kind, name, thing, protocol)
        return thing

    def _load(self, kind: str, name: str) -> Any:  # noqa: ANN401  # typed by callers
        if (kind, name) in self._loaded:
            return self._loaded[kind, name]
        entries = self._entries(kind)
        if name not in entries:
            raise UnknownName(kind, name, entries)
        try:
            self._loaded[kind, name] = loaded = entries[name].load()
        except (ImportError, AttributeError) as error:
            message = f"{kind} {name!r} ({entries[name].value}) cannot load: {error}"
            raise ConfigError(message) from error
        return loaded


def _check_whole(kind: str, name: str, thing: object, protocol: type) -> None:
    if absent := lacking(thing, protocol):
        what = f"{type(thing).__module__}.{type(thing).__qualname__}"
        raise ConfigError(
            f"{kind} {name!r} ({what}) is no {kind}: it has no {', '.join(absent)}"
        )


def _in_file(name: str) -> Any:  # noqa: ANN401  # typed by callers
    file, _, attribute = name.rpartition(":")
    return load_name(Path(file), attribute)


def _text_or_none(file: Traversable) -> str | None:
    """Return what a datasheet is made of; whoever loads it says why it cannot be."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)
