"""What the entries of ``lib_deps`` ask for, read as PlatformIO reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_PLAIN = re.compile(r"[^a-z0-9]")
_GIT_HOSTS = ("github.com", "gitlab.com", "bitbucket.com")
_ARCHIVES = (".zip", ".tar.gz", ".tar.xz")
_REPOSITORY = re.compile(r"(?:github|gitlab|bitbucket)\.\w+/[^/]+/(?P<name>[^/#?]+)/")
"""Of an address within a repository, such as that of an archive of a branch."""


@dataclass(frozen=True, slots=True)
class WantedLibrary:
    """One entry of ``lib_deps``, as PlatformIO understands it."""

    text: str
    name: str
    owner: str = ""
    version: str = ""
    uri: str = ""
    number: str = ""
    wanted_by: str = ""
    platforms: str = ""
    """For which it is wanted; for all if it does not say."""

    @property
    def is_local(self) -> bool:
        """Whether it says itself where on this machine it is."""
        return self.uri.startswith(("file://", "symlink://"))

    def path(self) -> Path:
        """Return where it is, if it says so itself."""
        return Path(self.uri.partition("://")[2]).expanduser()

    def keys(self) -> set[str]:
        """Return the names that a library for it may have."""
        last = self.uri.partition("#")[0].rstrip("/").rpartition("/")[2]
        repository = _REPOSITORY.search(self.uri)
        names = (
            self.name,
            last.removesuffix(".git"),
            repository and repository["name"],
        )
        return {plain_key(name) for name in names if name}


def parse_wanted(text: str, wanted_by: str = "") -> WantedLibrary:
    """Return what an entry of ``lib_deps`` asks for."""
    rest, owner, version, custom = text.strip(), "", "", ""
    if rest.startswith(("file://", "symlink://")):
        return WantedLibrary(text, _last(rest), uri=rest)
    if "/" in rest and Path(rest).expanduser().exists():
        return WantedLibrary(text, _last(rest), uri=f"file://{rest}")
    before, _, after = rest.rpartition("@")
    if before and not re.search(r"[:/]", after):
        rest, version = before.strip(), after.strip()
    before, equals, after = rest.partition("=")
    if equals and before != "id" and "/" not in before:
        custom, rest = before.strip(), after.strip()
    if rest.removeprefix("id=").isdecimal():
        number = rest.removeprefix("id=")
        return WantedLibrary(text, custom, "", version, "", number, wanted_by)
    if rest.count("/") == 1 and "@" not in rest and ":" not in rest:
        owner, _, rest = (part.strip() for part in rest.partition("/"))
    elif re.search(r"[@:/]", rest):
        uri = _as_git(rest)
        name = custom or _last(rest)
        return WantedLibrary(text, name, "", version, uri, "", wanted_by)
    return WantedLibrary(text, custom or rest, owner, version, "", "", wanted_by)


def plain_key(name: str) -> str:
    """Return a name without what people write differently."""
    return _PLAIN.sub("", name.lower())


def _last(path: str) -> str:
    name = re.split(r"[#?]", path)[0].rstrip("/").rpartition("/")[2]
    return name.partition(".")[0]


def _as_git(uri: str) -> str:
    """Return an address as PlatformIO keeps it: ``git+`` before those of git."""
    if uri.startswith("git+") or "+" in uri.partition("://")[0]:
        return uri
    _, _, rest = uri.partition("://")
    path = rest.partition("#")[0]
    if path.endswith(".git") or (
        rest.partition("/")[0] in _GIT_HOSTS and not path.endswith(_ARCHIVES)
    ):
        return f"git+{uri}"
    return uri
