"""Mutants as folders: each a case with the check of its sketch."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.truth.mutants import RIGHT, mutants_of
from pytest_embedbench.esr.truth.naming import neutral
from pytest_embedbench.esr.truth.sketch import DIAGRAM, MANIFEST, SOURCE, read_sketch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_embedbench.esr.truth.mutants import PinMutant


class MutantCase(NamedTuple):
    """A mutant, and the folder of the sketch it is of."""

    sketch: Path
    mutant: PinMutant

    @property
    def name(self) -> str:
        """What its folder is called, and so the case."""
        return _name(self.sketch, self.mutant.name)

    @property
    def twin(self) -> str:
        """The name of the case that has the same logic and no wrong pin."""
        return _name(self.sketch, self.mutant.twin)


def _name(sketch: Path, mutant: str) -> str:
    return f"{sketch.name}--{mutant}"


def cases_in(folders: Iterable[Path]) -> Sequence[MutantCase]:
    """Return the mutants of all sketches in some folders, sketch by sketch.

    Raises:
        ConfigError: there are none, or two sketches have one name.
    """
    found: dict[str, MutantCase] = {}
    for folder in folders:
        manifests = sorted(folder.glob(f"**/{MANIFEST}"))
        if not manifests:
            raise ConfigError(f"{folder}: no {MANIFEST} is in there: see docs/esr.md")
        for manifest in manifests:
            for mutant in mutants_of(read_sketch(manifest.parent)):
                case = MutantCase(manifest.parent, mutant)
                if case.name in found:
                    raise ConfigError(
                        f"{manifest.parent} and {found[case.name].sketch} have one "
                        "name: give one of them another"
                    )
                found[case.name] = case
    return tuple(found.values())


def with_twins(
    chosen: Iterable[MutantCase], cases: Iterable[MutantCase]
) -> Sequence[MutantCase]:
    """Return the chosen cases, what decides them, and their sketches as they are."""
    needed = {
        name
        for case in chosen
        for name in (case.name, case.twin, _name(case.sketch, RIGHT))
    }
    return [case for case in cases if case.name in needed]


def lay_out(
    cases: Iterable[MutantCase], root: Path, *, is_neutral: bool = False
) -> None:
    """Write a folder for each case, in place of what was there.

    With ``is_neutral``, their constants have names that say nothing.
    """
    shutil.rmtree(root, ignore_errors=True)
    for case in cases:
        folder = root / case.name
        (folder / SOURCE).parent.mkdir(parents=True)
        for file in (case.sketch / "platformio.ini", *case.sketch.glob("test_*.py")):
            shutil.copyfile(file, folder / file.name)
        text = case.mutant.text
        if is_neutral:
            text = neutral(text, read_sketch(case.sketch).lines)
        (folder / SOURCE).write_text(text, encoding="utf-8")
        (folder / DIAGRAM).write_text(case.mutant.diagram, encoding="utf-8")
