"""Many submissions: the folders in one folder, or the lines of a JSONL file.

A line is a table with ``name`` and either ``files``, from path to text, or ``folder``,
the path of a folder; ``origin`` may say what verdicts call it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import safe_name
from pytest_embedbench.errors import ConfigError, OutsideEditSurface
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_FIELDS = "name and files ({path: text}), or name and folder"
_MOST_FIELDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One of many.

    Args:
        name: What people call it, printable.
        label: The same in node ids and names of folders: no other has it.
        number: Its place among all, from 0.
        shown: Where it is from: its folder, or the file and its name in there.
        folder: Where its files are, or are to be written.
        files: What is to be written there, if it came as a line.
    """

    name: str
    label: str
    number: int
    shown: str
    folder: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    def record(self) -> dict[str, Any]:
        """Return what another process needs to know: a plain table, without files."""
        return asdict(self) | {"files": dict.fromkeys(self.files, "")}

    def write(self) -> None:
        """Write the files that have a place in its folder.

        Raises:
            ConfigError: they cannot be written there.
        """
        misplaced = _misplaced(self.files)
        Path(self.folder).mkdir(parents=True, exist_ok=True)
        for path in self.files.keys() - misplaced:
            file = Path(self.folder, path)
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self.files[path].encode("utf-8", "surrogateescape"))
            except OSError as error:
                message = f"{self.shown}: {file}: cannot be written: {error.strerror}"
                raise ConfigError(message) from error

    def check_places(self, surface: Sequence[str]) -> None:
        """Insist that every file had a place in its folder.

        Raises:
            OutsideEditSurface: naming those that had none.
        """
        if misplaced := sorted(_misplaced(self.files)):
            offences = [f"{shown(path)}: is no place in it" for path in misplaced]
            raise OutsideEditSurface(Path(self.folder), offences, surface)


def read_submissions(place: Path) -> list[Submission]:
    """Return what a folder of submissions or a JSONL file holds, by name or in order.

    Folders whose name begins with a dot are none, and so are files.

    Raises:
        ConfigError: there is nothing there, or a line is broken.
    """
    return listed(found_in(place))


def jsonl(submissions: Iterable[Submission]) -> str:
    """Return submissions as lines of a file that ``read_submissions`` reads."""
    tables = [
        {"name": each.name, "origin": each.shown}
        | ({"folder": each.folder} if each.folder else {"files": dict(each.files)})
        for each in submissions
    ]
    return "".join(json.dumps(table) + "\n" for table in tables)


@dataclass(frozen=True, slots=True)
class SubmissionSource:
    """Where one is from: ``where`` is for errors, ``origin`` for people."""

    where: str
    name: str
    folder: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    origin: str = ""


def listed(found: Iterable[SubmissionSource]) -> list[Submission]:
    """Return them with labels and numbers; ``ConfigError`` if two have one name."""
    taken: dict[str, str] = {}
    for each in found:
        label = safe_name(each.name)
        if label in taken:
            raise ConfigError(
                f"{each.where}: {shown(each.name)} is called like "
                f"{taken[label]}: give each submission a name of its own"
            )
        taken[label] = each.where
    return [
        Submission(
            name=shown(each.name),
            label=safe_name(each.name),
            number=number,
            shown=each.origin or shown(each.folder),
            folder=each.folder,
            files=each.files,
        )
        for number, each in enumerate(found)
    ]


def found_in(place: Path) -> list[SubmissionSource]:
    """Return what a folder or a file holds; ``ConfigError`` if that is nothing."""
    found = list(_lines(place) if place.is_file() else _folders(place))
    if not found:
        what = "line" if place.is_file() else "folder"
        raise ConfigError(f"{place}: holds no submission: each {what} in it would be")
    return found


def _folders(place: Path) -> Iterator[SubmissionSource]:
    try:
        names = sorted(each.name for each in place.iterdir() if each.is_dir())
    except OSError as error:
        raise ConfigError(
            f"{place}: {error.strerror}: name a folder of submissions, or a JSONL file"
        ) from error
    for name in names:
        if not name.startswith("."):
            folder = (place / name).resolve()
            yield SubmissionSource(str(place / name), name, str(folder))


def _lines(place: Path) -> Iterator[SubmissionSource]:
    for where, table in tables(place, _FIELDS):
        yield _line(where, table, place)


def tables(place: Path, fields: str) -> Iterator[tuple[str, Any]]:
    """Yield what each line of a JSONL file holds, and where: ``answers.jsonl:3``.

    Args:
        place: The file. Blank lines are none.
        fields: What a table has, for errors.

    Raises:
        ConfigError: it cannot be read, a line is no JSON, or it has a key twice.
    """
    try:
        data = place.read_bytes()
    except OSError as error:
        raise ConfigError(f"{place}: {error.strerror}: name a JSONL file") from error
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            where = f"{place}:{number}"
            try:
                yield where, json.loads(line, object_pairs_hook=_once_each)
            except (ValueError, RecursionError) as error:
                raise ConfigError(
                    f"{where}: is no JSON ({error}): each line is a table of {fields}"
                ) from error


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice")
    return dict(pairs)


def _line(where: str, table: Any, place: Path) -> SubmissionSource:  # noqa: ANN401  # of anybody
    match table:
        case {"name": str(name)} if not encodes(name):
            raise ConfigError(f"{where}: name: is no text")
        case {"name": str(name), "folder": str(folder)} if name:
            path = (place.parent / folder).resolve()
            if not path.is_dir():
                raise ConfigError(f"{where}: folder: {path} is no folder")
            origin = _origin(where, table, shown(path))
            found = SubmissionSource(where, name, str(path), origin=origin)
        case {"name": str(name), "files": dict()} if name:
            files: dict[str, object] = table["files"]
            origin = _origin(where, table, f"{place}#{shown(name)}")
            found = SubmissionSource(where, name, "", dict(texts(where, files)), origin)
        case _:
            raise ConfigError(f"{where}: each line is a table of {_FIELDS}")
    return found


def _origin(where: str, table: Mapping[str, object], otherwise: str) -> str:
    """Return the one field that need not be there; there are three at most."""
    origin = table.get("origin", otherwise)
    if len({*table, "origin"}) > _MOST_FIELDS or not isinstance(origin, str):
        raise ConfigError(f"{where}: each line is a table of {_FIELDS}")
    return origin


def texts(where: str, files: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield path and text of each; ``ConfigError`` for one that is none."""
    for path, text in files.items():
        if not isinstance(text, str) or not encodes(text):
            raise ConfigError(f"{where}: files: {shown(path)!r}: is no text")
        yield path, text


def _misplaced(files: Mapping[str, str]) -> set[str]:
    """Return the paths that lead out of a folder, or through another file."""
    clean = {path: PurePosixPath(path) for path in files}
    through = {str(up) for path in clean.values() for up in path.parents}
    return {
        path
        for path, parts in clean.items()
        if str(parts) in through
        or parts.is_absolute()
        or ".." in parts.parts
        or "\0" in path
        or path.endswith("/")
        or not encodes(path)
        or any(len(part.encode("utf-8", "replace")) > 255 for part in parts.parts)  # noqa: PLR2004  # what file systems take
        or len(path) > 1000  # noqa: PLR2004
    }


def encodes(text: str) -> bool:
    """Say whether a text is bytes of UTF-8, or what stands for other bytes."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
