"""What lies round a scratch copy, so that a build finds what it finds in the checkout.

Folders above the project are rebuilt with links to what they hold. What of the project
is not copied (tests, hidden folders, notes) is linked as well, and git finds the
project's history. No part of a name of the user's becomes a part of the copy's path:
SCons hands paths to a shell.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.staging import WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 40
_NEVER_LINKED = frozenset({".git", ".pio", ".pioenvs", ".piolibdeps", ".embedbench"})
_OF_A_CHECKOUT = ("HEAD", "ORIG_HEAD", "MERGE_HEAD", "index")
"""What each worktree has for itself; the rest is common to all of a repository."""


def plain_name(name: str) -> str:
    """Return ``name`` without what means something to a shell or to a make file."""
    return _UNSAFE.sub("_", name)[:_LONGEST].lstrip("-.") or "_"


def plain_parts(project_dir: Path, levels: int) -> tuple[str, ...]:
    """Return what the last ``levels`` folders down to the project are called in a copy.

    A name that has to change never takes that of something beside it.
    """
    parts: list[str] = []
    for folder in (project_dir, *project_dir.parents)[:levels]:
        name = plain_name(folder.name)
        while name != folder.name and (folder.parent / name).exists():
            name += "_"
        parts.insert(0, name)
    return tuple(parts)


def mirror(project_dir: Path, levels: int, tree: Path) -> None:
    """Rebuild the ``levels`` folders above the project, so that ``../`` means the same.

    They hold links to what they hold in truth, beside the one way down to the copy.
    """
    real = project_dir.parents[levels - 1] if levels else project_dir
    here = tree
    names = project_dir.relative_to(real).parts
    for name, plain in zip(names, plain_parts(project_dir, levels), strict=True):
        here.mkdir(parents=True, exist_ok=True)
        wanted = {entry: real / entry for entry in _names(real) if entry != name}
        if plain != name:
            wanted[name] = Path(plain)
        _make_links(wanted, here, but={plain})
        real, here = real / name, here / plain


def link_folders(links: Mapping[str, Path], project_dir: Path, stage: Path) -> None:
    """Have folders that are links be links, to their copies if there are any."""
    for name, target in links.items():
        link = stage / name
        if target.is_relative_to(project_dir):
            copy = stage / target.relative_to(project_dir)
            target = Path(os.path.relpath(copy, link.parent))  # noqa: PLW2901
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)


def link_the_rest(project_dir: Path, stage: Path, links: Collection[str]) -> None:
    """Link what of the project has not been copied; ``links`` are there already."""
    copied = {name for name in _names(stage) if not (stage / name).is_symlink()}
    copied |= set(links)
    wanted = {
        name: project_dir / name
        for name in _names(project_dir)
        if name not in copied | _NEVER_LINKED and not _is_environment(project_dir, name)
    }
    _make_links(wanted, stage, but=copied)


def move_workspace_into(stage: Path, workspace: Path) -> None:
    """Have the workspace be ``.pio`` in a copy, so that ``..`` of it is the copy.

    ``workspace`` becomes a link to it. What was built there stays.
    """
    own = stage / WORKSPACE
    if workspace.is_symlink() and own.is_dir() and workspace.resolve() == own.resolve():
        return
    stage.mkdir(parents=True, exist_ok=True)
    before = workspace.resolve()
    if own.is_symlink():
        own.unlink()
    shutil.rmtree(own, ignore_errors=True)
    if before.is_dir():
        before.rename(own)
    else:
        own.mkdir()
    workspace.unlink(missing_ok=True)
    workspace.symlink_to(os.path.relpath(own, workspace.parent))


def lend_history(project_dir: Path, stage: Path, place: Path) -> None:
    """Let git in ``stage`` tell what it tells in the project; it is only read.

    ``place`` becomes a repository of links, whose work tree is the real one.
    """
    shutil.rmtree(place, ignore_errors=True)
    (stage / ".git").unlink(missing_ok=True)
    found = _repository(project_dir)
    if found is None:
        return
    checkout, own = found
    common = own
    if (own / "commondir").is_file():
        common = (own / (own / "commondir").read_text().strip()).resolve()
    place.mkdir(parents=True)
    for name in _names(common):
        if name not in {*_OF_A_CHECKOUT, "config", "worktrees"}:
            (place / name).symlink_to(common / name)
    for name in _OF_A_CHECKOUT:
        if (own / name).is_file():
            shutil.copyfile(own / name, place / name)
    settings = (
        (common / "config").read_bytes() if (common / "config").is_file() else b""
    )
    ours = f"\n[core]\n\tbare = false\n\tworktree = {_quoted(checkout)}\n"
    (place / "config").write_bytes(settings + ours.encode())
    (stage / ".git").write_text(f"gitdir: {place}\n")


def _repository(project_dir: Path) -> tuple[Path, Path] | None:
    """Return the checkout that a folder is in, and what git keeps of it."""
    for folder in (project_dir, *project_dir.parents):
        entry = folder / ".git"
        if entry.is_dir():
            return folder, entry.resolve()
        if entry.is_file():
            named = entry.read_text().removeprefix("gitdir:").strip()
            own = (folder / named).resolve()
            return (folder, own) if own.is_dir() else None
    return None


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _make_links(wanted: dict[str, Path], here: Path, but: Collection[str]) -> None:
    """Make ``here`` hold these links and no others."""
    for name in _names(here):
        entry = here / name
        if name in but or not entry.is_symlink():
            continue
        if name not in wanted or entry.readlink() != wanted[name]:
            entry.unlink()
    for name, target in wanted.items():
        if name not in but and not (here / name).is_symlink():
            (here / name).symlink_to(target)


def _names(folder: Path) -> list[str]:
    """Return what is in a folder; nothing of one that we may not look into."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # a thousand names
    except PermissionError:
        return []


def _is_environment(folder: Path, name: str) -> bool:
    return (folder / name / "pyvenv.cfg").is_file()
