"""Build once per content: across tests, xdist workers and runs."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    EmbedbenchError,
)
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.contracts import Builder
    from pytest_embedbench.model import BoardSpec, FirmwareSource

_MANIFEST = "manifest.json"
_TRIES = 3
_KEPT_S = 30 * 24 * 3600
_BUILD_ERROR = ("environment", "returncode", "log_path", "diagnostics")


def environment_for(builder: Builder, spec: BoardSpec, project_dir: Path) -> str:
    """Return the environment of the project that is built for a board.

    Raises:
        ConfigError: the project has none of those that the board can run.
    """
    available = builder.environments(project_dir)
    for environment in spec.environments:
        if environment in available:
            return environment
    has = ", ".join(available) or "none"
    raise ConfigError(
        f"{project_dir} has no environment for board {spec.name!r}: the board runs "
        f"{', '.join(spec.environments)}; the project has {has}: "
        f"add [env:{spec.environments[0]}] to its platformio.ini"
    )


@dataclass(slots=True)
class ImageCache:
    """Images by the digest of all that their build depends on.

    Safe for any number of processes at once: one of them builds, the others wait and
    take what it made. A failed build is remembered for as long as this object lives,
    and for all processes that give the same ``session``; never longer.

    A source is fingerprinted once to look its image up, and once more when its build
    has ended: only if it is the same still, what was built may bear its key.
    """

    root: Path = field(default_factory=cache_root)
    session: str = ""
    _failed: dict[str, EmbedbenchError] = field(
        default_factory=dict["str", "EmbedbenchError"]
    )

    def image(self, builder: Builder, source: FirmwareSource) -> FirmwareImage:
        """Return the image of ``source``, built if nobody has built it yet.

        Raises:
            BuildError: the submission does not build, now or earlier in this session.
            ToolMissing: the build tool or a package it needs is not here.
            BenchFault: the source never stays the same for as long as a build takes.
        """
        key = builder.fingerprint(source)
        published = self._published(key)
        if published is not None:
            return published
        with self._lock(source) as waited:
            if waited:  # and meanwhile it may have been edited
                key = builder.fingerprint(source)
            tries = 0
            while (published := self._published(key)) is None and tries < _TRIES:
                key = self._build(builder, source, key)
                tries += 1
        if published is None:
            raise BenchFault(
                f"{source.project_dir} changed during each of {_TRIES} builds of it"
            )
        return published

    def _build(self, builder: Builder, source: FirmwareSource, key: str) -> str:
        """Build and publish, unless the source changes meanwhile.

        Returns the key of what the source is when the build has ended.
        """
        self._raise_if_failed(key)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self._folder("images")))
        self._sweep(now_s=draft.stat().st_mtime)
        outcome: FirmwareImage | EmbedbenchError
        try:
            try:
                outcome = builder.build(source, draft)
            except EmbedbenchError as error:
                outcome = error
            since = builder.fingerprint(source)
            if since != key:
                return since
            if isinstance(outcome, EmbedbenchError):
                self._remember(key, outcome)
                raise outcome
            self._publish(key, outcome, draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return key

    def _publish(self, key: str, image: FirmwareImage, draft: Path) -> None:
        """Give a finished draft its name: from then on it never changes."""
        files = {path.name: path for path in image.artifacts.values()}
        files[image.elf_path.name] = image.elf_path
        manifest = {
            "environment": image.environment,
            "elf": image.elf_path.name,
            "files": {name: _sha256(path) for name, path in files.items()},
            "metadata": dict(image.metadata),
        }
        (draft / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        place = self._folder("images") / key
        # What is there is broken, else nobody would have built.
        shutil.rmtree(place, ignore_errors=True)
        draft.rename(place)

    def _published(self, key: str) -> FirmwareImage | None:
        """Return an image that is whole: every file there, and none changed."""
        place = self.root / "images" / key
        try:
            manifest = json.loads((place / _MANIFEST).read_bytes())
            digests: dict[str, str] = manifest["files"]
            if any(_sha256(place / name) != digests[name] for name in digests):
                return None
            (place / _MANIFEST).touch()
            return FirmwareImage(
                environment=manifest["environment"],
                elf_path=place / manifest["elf"],
                sha256=digests[manifest["elf"]],
                key=key,
                artifacts={name: place / name for name in digests},
                metadata=manifest["metadata"],
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _remember(self, key: str, error: EmbedbenchError) -> None:
        self._failed[key] = error
        if self.session and isinstance(error, BuildError):
            fields = {name: getattr(error, name) for name in _BUILD_ERROR}
            self._failure(key).write_text(json.dumps(fields, default=str))

    def _raise_if_failed(self, key: str) -> None:
        if key in self._failed:
            raise copy.copy(self._failed[key])
        if self.session and self._failure(key).is_file():
            fields = json.loads(self._failure(key).read_bytes())
            fields["log_path"] = Path(fields["log_path"])
            raise BuildError(**fields)

    def _failure(self, key: str) -> Path:
        digest = hashlib.sha256(f"{self.session}\n{key}".encode()).hexdigest()[:32]
        return self._folder("failed") / f"{digest}.json"

    @contextlib.contextmanager
    def _lock(self, source: FirmwareSource) -> Generator[bool]:
        """Hold the lock of a project and environment; yields whether that took a wait.

        The file is never removed.
        """
        what = f"{source.project_dir.resolve()}\n{source.environment}"
        digest = hashlib.sha256(what.encode()).hexdigest()[:16]
        lock = FileLock(self._folder("locks") / f"{digest}.lock")
        waited = False
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waited = True
            lock.acquire()
        try:
            yield waited
        finally:
            lock.release()

    def _folder(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _sweep(self, now_s: float) -> None:
        """Forget what nobody has used for a month, and what killed builds left."""
        used = {path: path / _MANIFEST for path in self._folder("images").iterdir()}
        used |= {path: path for path in self._folder("failed").iterdir()}
        for path, stamp in used.items():
            with contextlib.suppress(FileNotFoundError):
                touched = stamp if stamp.exists() else path
                if now_s - touched.stat().st_mtime < _KEPT_S:
                    continue
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
