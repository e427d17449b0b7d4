"""Build once per content: across tests, xdist workers and runs."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    EmbedbenchError,
)
from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Builder
    from pytest_embedbench.model import BoardSpec, FirmwareSource

_MANIFEST = "manifest.json"
_TRIES = 3


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
        f"{', '.join(spec.environments)}; the project has {', '.join(available)}"
    )


@dataclass(slots=True, kw_only=True)
class ImageCache:
    """Images by the digest of all that their build depends on.

    Safe for any number of processes at once: one of them builds, the others wait and
    take what it made. A failed build is remembered for as long as this object lives,
    and for all processes that give the same ``session``; never longer.
    """

    root: Path
    session: str = ""
    _failed: dict[str, EmbedbenchError] = field(default_factory=dict)

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
        images = self._folder("images")
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=images))
        try:
            image = replace(builder.build(source, draft), key=key)
            if builder.fingerprint(source) != key:
                return None
            (draft / _MANIFEST).write_text(_manifest(image, draft), encoding="utf-8")
            shutil.rmtree(images / key, ignore_errors=True)
            draft.rename(images / key)
        except EmbedbenchError as error:
            self._remember(key, error)
            raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return self._published(key)

    def _published(self, key: str) -> FirmwareImage | None:
        """Return an image that is whole: every file there, none changed."""
        where = self.root / "images" / key
        try:
            manifest: dict[str, Any] = json.loads((where / _MANIFEST).read_bytes())
            digests: dict[str, str] = manifest["files"]
            if any(_sha256(where / name) != digests[name] for name in digests):
                return None
            artifacts = {name: where / path for name, path in manifest["names"].items()}
            return FirmwareImage(
                environment=manifest["environment"],
                elf_path=where / manifest["elf"],
                sha256=digests[manifest["elf"]],
                key=key,
                artifacts=artifacts,
                metadata=manifest["metadata"],
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
