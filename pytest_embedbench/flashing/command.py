"""Flash with whatever command a lab has."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import ConfigError, NotSupported, ToolMissing
from pytest_embedbench.flashing.images import artifact
from pytest_embedbench.flashing.model import Erase, Identity, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.flashing.model import FlashTarget
    from pytest_embedbench.model import FirmwareImage

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_BOARD = frozenset({"port", "chip", "baud"})
_FILES = frozenset({"elf", "bin", "hex", "uf2"})
_ASKED_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCommand:
    """Commands of the user's own, as lists of words.

    ``{port}``, ``{chip}`` and ``{baud}`` stand for the board, ``{elf}``, ``{bin}``,
    ``{hex}`` and ``{uf2}`` for the image's files; ``{{`` is a brace.

    Args:
        write: Writes the image, and fails if it is not then on the board.
        identify: Prints who the board is.
        pattern: What of that output is the identity: a regular expression with a
            group ``chip`` and, if there is one, ``serial``.
        compare: Succeeds only if the board holds the image.
        erase_all: Wipes the board.
        timeout_s: How long one command may take.
    """

    name: ClassVar[str] = "command"
    write_argv: tuple[str, ...]
    identify_argv: tuple[str, ...] = ()
    pattern: str = r"(?P<chip>\S+)\s*(?P<serial>\S*)"
    compare_argv: tuple[str, ...] = ()
    erase_argv: tuple[str, ...] = ()
    timeout_s: float = 120.0

    def __post_init__(self) -> None:
        if "(?P<chip>" not in self.pattern:
            raise ConfigError(f"pattern {self.pattern!r} has no group (?P<chip>...)")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ConfigError(f"pattern {self.pattern!r}: {error}") from error

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step | None:
        """Run the identify command, if there is one."""
        return self._step("identify", self.identify_argv, _of(target), _ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Apply the pattern."""
        found = re.search(self.pattern, output)
        if found is None:
            return None
        groups = found.groupdict()
        serial = (groups.get("serial") or "").lower()
        return Identity(chip=groups["chip"].lower(), serial=serial, detail=found[0])

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Run the compare command, if there is one."""
        words = _of(target) | _files(image, self.compare_argv)
        return self._step("compare", self.compare_argv, words, self.timeout_s)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Run the erase command."""
        step = self._step("erase all", self.erase_argv, _of(target), self.timeout_s)
        if step is None or erase is Erase.NVS:
            raise NotSupported(f"no command to erase {erase.value!r} is configured")
        return step

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Run the write command."""
        words = _of(target) | _files(image, self.write_argv)
        step = self._step("write", self.write_argv, words, self.timeout_s)
        if step is None:
            raise ConfigError("the command that writes is empty")
        return step

    def _step(
        self,
        name: str,
        template: tuple[str, ...],
        words: Mapping[str, str],
        timeout_s: float,
    ) -> Step | None:
        if not template:
            return None
        argv = filled(template, words)
        if shutil.which(argv[0]) is None:
            raise ToolMissing("flashing", argv[0], "install it, or put it on PATH")
        return Step(name=name, argv=argv, timeout_s=timeout_s)


def filled(template: Sequence[str], words: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a command with their placeholders filled in.

    Raises:
        ConfigError: a placeholder is none of ``words``.
    """

    def value(found: re.Match[str]) -> str:
        if found[1] in words:
            return words[found[1]]
        known = ", ".join(f"{{{name}}}" for name in sorted(words))
        raise ConfigError(f"{found[0]} in a command stands for nothing; known: {known}")

    return tuple(
        "{".join(_PLACEHOLDER.sub(value, part) for part in word.split("{{")).replace(
            "}}", "}"
        )
        for word in template
    )


def _of(target: FlashTarget) -> dict[str, str]:
    baud = str(target.baud_bps)
    return {"port": target.port, "chip": target.chip, "baud": baud}


def _files(image: FirmwareImage, template: Sequence[str]) -> dict[str, str]:
    """Look up those files alone that the command names."""
    named = {name for word in template for name in _PLACEHOLDER.findall(word)}
    return {name: str(artifact(image, f".{name}")) for name in named & _FILES}
