"""Build once per content: across tests, xdist workers and runs."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from filelock import FileLock, Timeout

from pytest_embedbench.bench.ahead import BuildAhead
from pytest_embedbench.bench.cache_use import (
    MANIFEST,
    Asked,
    Cleaning,
    share_cache,
    whole_manifest,
)
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.digests import Memo, file_digest
from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    EmbedbenchError,
)
from pytest_embedbench.model import FirmwareImage, Isolation
from pytest_embedbench.support.paths import cache_root, made_cache

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Any

    from pytest_embedbench.contracts import Builder
    from pytest_embedbench.model import FirmwareSource

_TRIES = 3
_BUILD_ERROR = ("environment", "returncode", "log_path", "diagnostics")


@dataclass(slots=True)
class ImageCache:
    """Images by the digest of all that their build depends on.

    Safe for any number of processes at once: one of them builds, the others wait and
    take what it made. A failed build is remembered for as long as this object lives,
    and for all processes that give the same ``session``; never longer. The first to
    meet it is told all, others the first error.

    A source is fingerprinted once to look its image up, and once more when its build
    has ended: only if it is the same still, what was built may bear its key. What a
    build has read beyond that is compared, too, file by file. Where it cannot be told
    what was read, an image serves this object, or the processes of one ``session``.
    """

    root: Path = field(default_factory=cache_root)
    session: str = ""
    asked: Asked = field(default_factory=Asked, init=False)
    _users: int | None = field(default=None, init=False, repr=False, compare=False)
    _cleaning: Cleaning = field(default_factory=Cleaning, init=False, repr=False)
    _own: str = field(default_factory=lambda: uuid4().hex, init=False)
    _failed: dict[str, EmbedbenchError] = field(
        default_factory=dict["str", "EmbedbenchError"]
    )
    _ahead: list[BuildAhead] = field(
        default_factory=list[BuildAhead], init=False, repr=False, compare=False
    )
    _seen: Memo[FirmwareImage] = field(
        default_factory=Memo[FirmwareImage], init=False, repr=False, compare=False
    )

    def image(self, builder: Builder, source: FirmwareSource) -> FirmwareImage:
        """Return the image of ``source``, built if nobody has built it yet.

        Raises:
            BuildError: the submission does not build, now or earlier in this session.
            ToolMissing: the build tool or a package it needs is not here.
            BenchFault: the source never stays the same for as long as a build takes.
        """
        image = self._asked_for(builder, source)
        self.asked.found += image.was_found
        self.asked.built += not image.was_found
        if image.untold:
            self.asked.untold.add(image.untold)
        return replace(image, isolation=source.isolation)

    def has(self, builder: Builder, source: FirmwareSource) -> bool:
        """Say whether nothing has to be built for ``image``."""
        return self._published(_key(builder, source)) is not None

    def begin(self, builder: Builder, source: FirmwareSource) -> None:
        """Have what will be asked for built meanwhile, unless it is there already.

        Whatever comes of it is told when ``image`` asks for the same.
        """
        self._share()
        build = partial(self._image, builder, source)
        ahead = BuildAhead(source=source, build=build)
        ahead.begin()
        self._ahead.append(ahead)

    def take_counts(self) -> Asked:
        """Return what has been asked for since this was called."""
        asked, self.asked = self.asked, Asked()
        return asked

    def _asked_for(self, builder: Builder, source: FirmwareSource) -> FirmwareImage:
        """Return an image, which may be under way; of that its end is waited for."""
        begun = next((each for each in self._ahead if each.source == source), None)
        if begun is None:
            return self._image(builder, source)
        self._ahead.remove(begun.wait())
        if begun.error is not None:
            failure = self._failed.get(_key(builder, source))
            if failure is not None and failure is begun.error:
                raise failure
        image = self._image(builder, source)
        found = image.was_found and not begun.has_built(image.key)
        return replace(image, was_found=found)

    def _share(self) -> None:
        if self._users is None:  # and for as long as this process lives
            self._users = share_cache(self.root)

    def _image(self, builder: Builder, source: FirmwareSource) -> FirmwareImage:
        self._share()
        key = _key(builder, source)
        published = self._published(key)
        if published is not None:
            return published
        with self._lock(source) as waited:
            if waited:  # and meanwhile it may have been edited
                key = _key(builder, source)
            tries = 0
            while (published := self._published(key)) is None and tries < _TRIES:
                key = self._build(builder, source, key)
                tries += 1
        if published is None:
            raise BenchFault(
                f"{source.project_dir} changed during each of {_TRIES} builds of it"
            )
        return replace(published, was_found=not tries)

    def _build(self, builder: Builder, source: FirmwareSource, key: str) -> str:
        """Build and publish, unless the source changes meanwhile.

        Returns the key of what the source is when the build has ended.
        """
        self._raise_if_failed(key)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self._folder("images")))
        self._cleaning.once(self.root, now_s=draft.stat().st_mtime)
        outcome: FirmwareImage | EmbedbenchError
        try:
            try:
                outcome = builder.build(source, draft)
            except EmbedbenchError as error:
                outcome = error
            since = _key(builder, source)
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
        """Give a finished draft its name: from then on its files never change."""
        files = {path.name: path for path in image.artifacts.values()}
        files[image.elf_path.name] = image.elf_path
        manifest: dict[str, Any] = {
            "environment": image.environment,
            "elf": image.elf_path.name,
            "files": {name: file_digest(path) for name, path in files.items()},
            "metadata": dict(image.metadata),
        }
        name, runs = key, {self._run}
        if image.inputs or image.untold:
            manifest["inputs"] = dict(sorted(image.inputs.items()))
            manifest["untold"] = image.untold
            text = json.dumps(manifest, sort_keys=True)
            name = f"{key}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        place = self._folder("images") / name
        same = whole_manifest(place)
        if same is not None:  # and others may be running it
            runs |= set(same["runs"])
        manifest["runs"] = sorted(runs)
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        if same is not None:
            (draft / MANIFEST).replace(place / MANIFEST)
            return
        shutil.rmtree(place, ignore_errors=True)
        draft.rename(place)

    @property
    def _run(self) -> str:
        return self.session or self._own

    def _published(self, key: str) -> FirmwareImage | None:
        """Return an image that is whole, of inputs that are what they were."""
        if (seen := self._seen.recall(key)) is not None:
            return seen
        begun_ns = wall_now_ns()
        for place in self._places(key):
            manifest = whole_manifest(place)
            if manifest is None or not self._holds(manifest):
                continue
            digests: dict[str, str] = manifest["files"]
            image = FirmwareImage(
                environment=manifest["environment"],
                elf_path=place / manifest["elf"],
                sha256=digests[manifest["elf"]],
                key=place.name,
                artifacts={name: place / name for name in digests},
                metadata=manifest["metadata"],
                inputs=manifest["inputs"],
                untold=manifest["untold"],
                was_found=True,
            )
            files = (*map(str, image.artifacts.values()), *image.inputs)
            self._seen.remember(key, image, files, begun_ns)
            return image
        return None

    def _places(self, key: str) -> list[Path]:
        """Return where images of a source may be: one for each state of its inputs."""
        with os.scandir(self._folder("images")) as entries:
            names = [entry.name for entry in entries]
        folder = self.root / "images"
        return [folder / n for n in names if n == key or n.startswith(f"{key}.")]

    def _holds(self, manifest: Mapping[str, Any]) -> bool:
        """Say whether an image is still what its source and inputs make."""
        if manifest["untold"] and self._run not in manifest["runs"]:
            return False
        inputs: dict[str, str] = manifest["inputs"]
        return all(file_digest(path) == digest for path, digest in inputs.items())

    def _remember(self, key: str, error: EmbedbenchError) -> None:
        self._failed[key] = error
        if self.session and isinstance(error, BuildError):
            fields = {name: getattr(error, name) for name in _BUILD_ERROR}
            self._failure(key).write_text(json.dumps(fields, default=str))

    def _raise_if_failed(self, key: str) -> None:
        if key in self._failed:
            error = self._failed[key]
            raise error.again() if isinstance(error, BuildError) else copy.copy(error)
        if self.session and self._failure(key).is_file():
            fields = json.loads(self._failure(key).read_bytes())
            fields["log_path"] = Path(fields["log_path"])
            raise BuildError(**fields).again()

    def _failure(self, key: str) -> Path:
        digest = hashlib.sha256(f"{self.session}\n{key}".encode()).hexdigest()
        return self._folder("failed") / f"{digest[:32]}.json"

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
        folder = made_cache(self.root) / name
        folder.mkdir(exist_ok=True)
        return folder


def _key(builder: Builder, source: FirmwareSource) -> str:
    """Return what an image is kept under.

    What was built where all could be read may hold any of it: no sandbox runs that.
    """
    key = builder.fingerprint(source)
    return f"{key}-apart" if source.isolation is Isolation.BUBBLEWRAP else key
