"""One fault: where it is, how it reads, and the submission that has it."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_CONTEXT_LINES = 1
_DIGEST_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A change to one file of the reference, not yet named.

    ``operator`` is the kind of fault; ``start`` is where the change begins in the
    bytes of ``file``, and ``source`` is the whole of it afterwards.
    """

    operator: str
    file: str
    start: int
    source: bytes
    what: str
    declared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """The reference with one fault.

    ``declared`` ones are a task's own, the others an operator's. ``name`` stays the
    same as long as the lines that the fault changes do, wherever in their file they
    are; ``source`` is the whole of ``file``, fault included.
    """

    name: str
    operator: str
    file: str
    line: int
    what: str
    source: bytes
    diff: str
    declared: bool

    def write(self, reference: Mapping[str, bytes], folder: Path) -> None:
        """Make ``folder`` a submission: the reference's files, and this fault."""
        for name, data in {**reference, self.file: self.source}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)


def named(
    faults: Iterable[Mutation], reference: Mapping[str, bytes]
) -> Iterator[Mutant]:
    """Yield a mutant for each fault that changes something, once per resulting file."""
    seen = set(reference.items())
    twins: Counter[str] = Counter()
    for fault in faults:
        if (fault.file, fault.source) in seen:
            continue
        seen.add((fault.file, fault.source))
        mutant = _mutant(fault, reference[fault.file])
        twins[mutant.name] += 1
        if (number := twins[mutant.name]) > 1:
            mutant = replace(mutant, name=f"{mutant.name}-{number}")
        yield mutant


def _mutant(fault: Mutation, original: bytes) -> Mutant:
    diff = [
        line.rstrip("\n")
        for line in difflib.unified_diff(
            original.decode().splitlines(),
            fault.source.decode().splitlines(),
            fault.file,
            fault.file,
            n=_CONTEXT_LINES,
            lineterm="",
        )
    ]
    changed = "\n".join(line for line in diff[2:] if line[0] in "+-")
    digest = hashlib.sha256(f"{fault.file}\n{changed}".encode()).hexdigest()
    name = f"{fault.operator}-{digest[:_DIGEST_DIGITS]}"
    return Mutant(
        name=fault.operator if fault.declared else name,
        operator=fault.operator,
        file=fault.file,
        line=original.count(b"\n", 0, fault.start) + 1,
        what=fault.what,
        source=fault.source,
        diff="\n".join(diff),
        declared=fault.declared,
    )
