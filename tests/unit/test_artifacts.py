"""Where evidence goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.artifacts import new_file, new_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_is_named_after_its_test(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, "tests/test_tank.py::TestPump::test_on[native]")
    assert folder == tmp_path / "tests/test_tank.py/TestPump.test_on[native]"


def test_equal_names_in_two_modules_are_two_folders(tmp_path: Path) -> None:  # U16
    folders = {new_folder(tmp_path, f"{name}/test_a.py::test_b") for name in "ab"}
    assert len(folders) == 2


def test_another_attempt_is_another_folder(tmp_path: Path) -> None:  # U16, V1
    first = new_folder(tmp_path, "test_a.py::test_b")
    assert new_folder(tmp_path, "test_a.py::test_b", attempt=2).name == "test_b.2"
    assert new_folder(tmp_path, "test_a.py::test_b").name == "test_b.3"
    assert first.name == "test_b"


@pytest.mark.parametrize(
    "name", ["test_x[a/b]", "test_x[a:b]", "test_x[../..]", "test_x[é]", "test_x[a b]"]
)
def test_a_name_that_no_file_can_have_is_changed(tmp_path: Path, name: str) -> None:
    folder = new_folder(tmp_path, f"test_a.py::{name}")  # U16
    assert folder.parent == tmp_path / "test_a.py"
    assert folder.name.isascii()


def test_changed_names_stay_different(tmp_path: Path) -> None:  # U16
    nodeids = ("t.py::test[a/b]", "t.py::test[a:b]", "t.py::test[a-b]")
    names = {new_folder(tmp_path, nodeid).name for nodeid in nodeids}
    assert len(names) == 3
    assert not any(name.endswith(".2") for name in names)


def test_long_names_are_cut_and_stay_different(tmp_path: Path) -> None:  # U16
    nodeids = [f"t.py::test[{'x' * 300}{end}]" for end in "ab"]
    names = [new_folder(tmp_path, nodeid).name for nodeid in nodeids]
    assert names[0] != names[1]
    assert all(len(name) <= 120 for name in names)


def test_a_test_file_outside_the_root_stays_inside(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, "../../elsewhere/test_a.py::test_b")
    assert tmp_path in folder.resolve().parents


def test_an_old_file_is_never_continued(tmp_path: Path) -> None:  # V2
    (tmp_path / "transcript.log").write_text("READY\n")
    with pytest.raises(FileExistsError):
        new_file(tmp_path / "transcript.log")
