"""A builder: checks a file of rules, and hands it on as the image."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from acme_bench.rules import parse
from pytest_embedbench import BuildError, ConfigError, FirmwareImage

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench import FirmwareSource, ToolMissing

SOURCE = "firmware.rules"
ENVIRONMENT = "rules"
IMAGE = "firmware.elf"


class RuleBuilder:
    """Builds folders with a ``firmware.rules``."""

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return what can be built there."""
        if not (project_dir / SOURCE).is_file():
            raise ConfigError(f"{project_dir}: no {SOURCE}")
        return (ENVIRONMENT,)

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all that the image depends on."""
        return hashlib.sha256(_text(source).encode()).hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Check the rules; what does not parse is the submission's fault."""
        text = _text(source)
        complaints = "\n".join(parse(text, SOURCE).complaints)
        log = out_dir / "build.log"
        log.write_text(complaints, "utf-8")
        if complaints:
            raise BuildError(source.environment, 1, log, complaints)
        image = out_dir / IMAGE
        image.write_text(text, "utf-8")
        return FirmwareImage(
            environment=source.environment,
            elf_path=image,
            sha256=hashlib.sha256(image.read_bytes()).hexdigest(),
            key=self.fingerprint(source),
            artifacts={IMAGE: image},
            metadata={"acme": "1.0"},
        )

    def missing(self) -> ToolMissing | None:
        """Say that nothing is."""
        return None

    def version(self) -> str:
        """Name the builder, for reports."""
        return "acme rules 1.0"


def _text(source: FirmwareSource) -> str:
    """Return the rules: a submission's in place of the project's."""
    file = source.overlay.get(SOURCE, source.project_dir / SOURCE)
    return file.read_text("utf-8")
