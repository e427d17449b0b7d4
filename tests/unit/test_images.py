"""One build per content, whoever asks and however often."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import digests
from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ToolMissing,
)
from pytest_embedbench.model import FirmwareImage, FirmwareSource
from pytest_embedbench.testing import check_builder

if TYPE_CHECKING:
    from collections.abc import Callable

PROCESSES = 8


@dataclass
class Copier:
    """A builder whose compiler is ``cp``, which fails on text that says so.

    It notes each build in ``log``, a file, and fails when two run at once.
    """

    log: Path
    meanwhile: Callable[[FirmwareSource], None] = field(default=lambda _source: None)

    def environments(self, project_dir: Path) -> tuple[str, ...]:  # noqa: ARG002
        return ("native", "uno")

    def fingerprint(self, source: FirmwareSource) -> str:
        text = (source.project_dir / "main.c").read_bytes()
        return hashlib.sha256(source.environment.encode() + text).hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        busy = self.log.with_suffix(".busy")
        busy.touch(exist_ok=False)
        data = (source.project_dir / "main.c").read_bytes()
        with self.log.open("a") as log:
            log.write(f"{source.environment}\n")
        self.meanwhile(source)
        busy.unlink()
        if b"#error" in data:
            raise BuildError(source.environment, 1, self.log, "main.c:1: #error")
        out_dir.mkdir(parents=True, exist_ok=True)
        elf_path = out_dir / "firmware.elf"
        elf_path.write_bytes(data)
        return FirmwareImage(
            environment=source.environment,
            elf_path=elf_path,
            sha256=hashlib.sha256(data).hexdigest(),
            key=self.fingerprint(source),
            artifacts={"firmware.elf": elf_path},
            metadata={"toolchain": "cp"},
        )

    def missing(self) -> ToolMissing | None:
        return None

    def version(self) -> str:
        return "cp 1"

    def builds(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def builder(tmp_path: Path) -> Copier:
    return Copier(log=tmp_path / "builds.log")


@pytest.fixture
def source(tmp_path: Path) -> FirmwareSource:
    project = tmp_path / "project"
    project.mkdir()
    (project / "main.c").write_text("int main(void);")
    return FirmwareSource(project_dir=project, environment="native")


@pytest.fixture
def cache(tmp_path: Path) -> ImageCache:
    return ImageCache(tmp_path / "cache")


def edit(source: FirmwareSource, text: str) -> None:
    (source.project_dir / "main.c").write_text(text)


def test_the_builder_of_these_tests_keeps_the_contract(
    builder: Copier, source: FirmwareSource, tmp_path: Path
) -> None:
    check_builder(builder, source, tmp_path / "out")


def test_the_second_time_nothing_is_built(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    first = cache.image(builder, source)
    assert cache.image(builder, source) == first
    assert builder.builds() == 1
    assert first.elf_path.read_text() == "int main(void);"
    assert first.metadata == {"toolchain": "cp"}


def test_another_run_takes_what_an_earlier_one_built(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    first = cache.image(builder, source)
    assert ImageCache(cache.root).image(builder, source) == first
    assert builder.builds() == 1


def test_an_edit_builds_again_and_going_back_does_not(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    # C5: an old image is never served for new text.
    first = cache.image(builder, source)
    edit(source, "int other(void);")
    assert cache.image(builder, source).elf_path.read_text() == "int other(void);"
    edit(source, "int main(void);")
    assert cache.image(builder, source) == first
    assert builder.builds() == 2


def test_touching_a_file_builds_nothing(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    # C5
    cache.image(builder, source)
    (source.project_dir / "main.c").touch()
    cache.image(builder, source)
    assert builder.builds() == 1


def ask(root: Path, log: Path, source: FirmwareSource) -> str:
    return ImageCache(root).image(Copier(log=log), source).sha256


def test_eight_processes_at_once_cause_one_build(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    # X3: a session fixture runs once per worker; the build must not.
    # C4: the builder fails if two of them ever hold the lock.
    context = multiprocessing.get_context("spawn")
    with context.Pool(PROCESSES) as pool:
        order = [(cache.root, builder.log, source)] * PROCESSES
        digests = pool.starmap(ask, order, chunksize=1)
    assert len(set(digests)) == 1
    assert builder.builds() == 1


def ask_for_many(root: Path, log: Path, source: FirmwareSource, worker: int) -> None:
    for number in range(10):
        main_c = source.project_dir / "main.c"
        main_c.write_text(f"int worker_{worker}_{number};")
        try:
            ImageCache(root).image(Copier(log=log), source)
        except BenchFault:
            # The others edit the same file all the time: a fair refusal.
            continue


def test_eight_processes_never_build_the_same_project_at_once(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    # C4: 80 edits by 8 processes; Copier fails when two of its builds overlap.
    context = multiprocessing.get_context("spawn")
    with context.Pool(PROCESSES) as pool:
        order = [(cache.root, builder.log, source, n) for n in range(PROCESSES)]
        pool.starmap(ask_for_many, order, chunksize=1)
    assert builder.builds() >= PROCESSES
    assert list((cache.root / "locks").iterdir()), (
        "a lock that is removed locks nothing"
    )


def test_a_failed_build_is_reported_to_all_and_tried_once(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    for _ in range(3):
        with pytest.raises(BuildError, match="does not build: environment 'native': "):
            cache.image(builder, source)
    assert builder.builds() == 1


def test_a_failed_build_leaves_nothing_to_serve(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    with pytest.raises(BuildError):
        cache.image(builder, source)
    assert list((cache.root / "images").iterdir()) == []


def test_workers_of_one_session_share_a_failure(
    tmp_path: Path, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    with pytest.raises(BuildError) as first:
        ImageCache(tmp_path / "cache", session="run 1").image(builder, source)
    with pytest.raises(BuildError) as second:
        ImageCache(tmp_path / "cache", session="run 1").image(builder, source)
    assert str(second.value) == str(first.value)
    assert builder.builds() == 1


def test_the_next_session_tries_a_failed_build_again(
    tmp_path: Path, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    for session in ("run 1", "run 2", ""):
        with pytest.raises(BuildError):
            ImageCache(tmp_path / "cache", session=session).image(builder, source)
    assert builder.builds() == 3


@pytest.mark.parametrize("name", ["firmware.elf", "manifest.json"])
@pytest.mark.parametrize("damage", [b"", b"\x00 broken"])
def test_a_damaged_image_is_built_again(
    cache: ImageCache,
    builder: Copier,
    source: FirmwareSource,
    name: str,
    damage: bytes,
) -> None:
    first = cache.image(builder, source)
    (first.elf_path.parent / name).write_bytes(damage)
    assert cache.image(builder, source) == first
    assert first.elf_path.read_text() == "int main(void);"
    assert builder.builds() == 2


def test_a_lost_file_is_built_again(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    first = cache.image(builder, source)
    first.elf_path.unlink()
    assert cache.image(builder, source).elf_path.is_file()
    assert builder.builds() == 2


def test_an_edit_during_the_build_is_built_too(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edits = iter(["int edited(void);"])
    builder.meanwhile = lambda source: edit(source, next(edits, "int edited(void);"))
    image = cache.image(builder, source)
    assert image.elf_path.read_text() == "int edited(void);"
    assert builder.builds() == 2


def test_a_source_that_never_rests_is_given_up(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edits = iter(range(1000))
    builder.meanwhile = lambda source: edit(source, f"int edited_{next(edits)};")
    with pytest.raises(BenchFault, match="changed during each of 3 builds"):
        cache.image(builder, source)


def test_images_that_nobody_uses_are_forgotten_by_a_later_run(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    old = cache.image(builder, source).elf_path.parent
    os.utime(old / "manifest.json", (0, 0))
    killed = cache.root / "images" / ".draft-of-a-killed-build"
    killed.mkdir()
    os.utime(killed, (0, 0))
    edit(source, "int other(void);")
    new = ImageCache(cache.root).image(builder, source).elf_path.parent
    assert list((cache.root / "images").iterdir()) == [new]


def test_an_image_that_is_used_is_kept(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    old = cache.image(builder, source)
    os.utime(old.elf_path.parent / "manifest.json", (0, 0))
    cache.image(builder, source)
    edit(source, "int other(void);")
    cache.image(builder, source)
    assert old.elf_path.is_file()


@dataclass
class Counting(Copier):
    """Counts how often it is asked for a fingerprint."""

    fingerprints: int = 0

    def fingerprint(self, source: FirmwareSource) -> str:
        self.fingerprints += 1
        return super().fingerprint(source)

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        asked = self.fingerprints
        image = super().build(source, out_dir)
        self.fingerprints = asked
        return image


def test_a_source_is_read_once_to_look_it_up_and_once_after_its_build(
    cache: ImageCache, tmp_path: Path, source: FirmwareSource
) -> None:
    builder = Counting(log=tmp_path / "builds.log")
    cache.image(builder, source)
    assert builder.fingerprints == 2
    cache.image(builder, source)
    assert builder.fingerprints == 3


def test_a_builder_need_not_know_the_key(
    cache: ImageCache, builder: Copier, source: FirmwareSource, tmp_path: Path
) -> None:
    @dataclass
    class Keyless(Copier):
        def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
            return replace(super().build(source, out_dir), key="")

    image = cache.image(Keyless(log=tmp_path / "builds.log"), source)
    assert image.key == builder.fingerprint(source)


def test_a_failure_is_not_remembered_of_what_was_mended_during_the_build(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    builder.meanwhile = lambda source: edit(source, "int mended(void);")
    assert cache.image(builder, source).elf_path.read_text() == "int mended(void);"
    builder.meanwhile = lambda _source: None
    edit(source, "#error")
    with pytest.raises(BuildError):
        cache.image(builder, source)


def test_what_has_begun_is_waited_for_and_not_built_twice(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    cache.begin(builder, source)
    first, second = (cache.image(builder, source) for _ in range(2))
    assert (first.was_found, second.was_found) == (False, True)
    assert builder.builds() == 1


def test_what_has_begun_is_no_news_where_it_was_there(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    cache.image(builder, source)
    cache.begin(builder, source)
    assert cache.image(builder, source).was_found
    assert builder.builds() == 1


def test_a_failure_of_what_has_begun_is_told_whole_to_who_asks_first(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    def fail(source: FirmwareSource) -> None:
        raise BuildError(source.environment, 1, builder.log, "1: error\nin full")

    builder.meanwhile = fail
    cache.begin(builder, source)
    with pytest.raises(BuildError, match="in full"):
        cache.image(builder, source)
    with pytest.raises(BuildError) as again:
        cache.image(builder, source)
    assert "in full" not in str(again.value)
    assert builder.builds() == 1


def test_an_edit_since_a_build_has_begun_is_built_too(
    cache: ImageCache, builder: Copier, source: FirmwareSource
) -> None:
    edit(source, "#error")
    cache.begin(builder, source)
    with pytest.raises(BuildError):
        cache.image(builder, source)
    cache.begin(builder, source)
    edit(source, "int mended(void);")
    assert cache.image(builder, source).elf_path.read_text() == "int mended(void);"


def test_an_image_that_is_recalled_has_its_files(
    cache: ImageCache,
    builder: Copier,
    source: FirmwareSource,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(digests, "_SETTLED_NS", -1_000_000_000)
    image = cache.image(builder, source)
    assert cache.image(builder, source) == image
    image.elf_path.write_bytes(b"other bytes")
    assert cache.image(builder, source).elf_path.read_text() == "int main(void);"
    assert builder.builds() == 2
