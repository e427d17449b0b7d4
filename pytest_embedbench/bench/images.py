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

from filelock import FileLock

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    EmbedbenchError,
)
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
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
    raise ConfigError(
        f"{project_dir} has no environment for board {spec.name!r}: the board runs "
        f"{', '.join(spec.environments)}; the project has {', '.join(available)}: "
        f"add [env:{spec.environments[0]}] to its platformio.ini"
    )


@dataclass(slots=True)
class ImageCache:
    """Images by the digest of all that their build depends on.

    Safe for any number of processes at once: one of them builds, the others wait and
    take what it made. A failed build is remembered for as long as this object lives,
    and for all processes that give the same ``session``; never longer.
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
        with FileLock(self._lock(source)):
            for _ in range(_TRIES):
                image = self._build(builder, source)
                if image is not None:
                    return image
        raise BenchFault(
            f"{source.project_dir} changed during each of {_TRIES} builds of it"
        )

    def _build(self, builder: Builder, source: FirmwareSource) -> FirmwareImage | None:
        """Build and publish; nothing if the source changed meanwhile."""
        key = builder.fingerprint(source)
        published = self._published(key)
        if published is not None:
            return published
        self._raise_if_failed(key)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self._folder("images")))
        self._sweep(now_s=draft.stat().st_mtime)
        try:
            image = builder.build(source, draft)
            if builder.fingerprint(source) != key:
                return None
            self._publish(key, image, draft)
        except EmbedbenchError as error:
            self._remember(key, error)
            raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return self._published(key)

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

    def _lock(self, source: FirmwareSource) -> Path:
        """Return the lock of a project and environment; it is never removed."""
        what = f"{source.project_dir.resolve()}\n{source.environment}"
        digest = hashlib.sha256(what.encode()).hexdigest()[:16]
        return self._folder("locks") / f"{digest}.lock"

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
