"""Flash by PlatformIO's own upload, with whatever tool its platform brings."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.flashing.avrdude import BOOTLOADERS, Avrdude
from pytest_embedbench.flashing.esptool import Esptool
from pytest_embedbench.flashing.model import Step
from pytest_embedbench.flashing.programs import find_program
from pytest_embedbench.processes.pio_environment import quiet_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.model import (
        Erase,
        FlashMethod,
        FlashTarget,
        Identity,
    )
    from pytest_embedbench.model import FirmwareImage

_OVERRIDE = "upload.ini"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformIOUpload:
    """``pio run -t nobuild -t upload``, of an image that is built already.

    PlatformIO has no way to ask a board who it is, or what it holds. Where the
    protocol is one of avrdude's bootloaders or ``esptool``, that program is asked.

    Args:
        project: The project that the image was built from: its ``platformio.ini``
            says which platform uploads, and how.
        protocol: Takes the place of the project's ``upload_protocol``.
        environment: The environment; by default the image's own.
        pio: The program to use.
        core_dir: PlatformIO's core directory, if not its own.
        timeout_s: How long an upload may take.
    """

    name: ClassVar[str] = "platformio"
    project: str
    protocol: str = ""
    environment: str = ""
    pio: str = ""
    core_dir: str = ""
    timeout_s: float = 300.0

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the rates of the tool behind the protocol."""
        asker = self._asker()
        return (wanted_bps,) if asker is None else asker.baud_rates(wanted_bps)

    def query_identity(self, target: FlashTarget) -> Step | None:
        """Let the tool behind the protocol ask."""
        asker = self._asker()
        return None if asker is None else asker.query_identity(target)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Let the tool behind the protocol read the answer."""
        asker = self._asker()
        return None if asker is None else asker.parse_identity(target, output)

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Let the tool behind the protocol compare."""
        asker = self._asker()
        return None if asker is None else asker.compare(target, image)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Let the tool behind the protocol erase."""
        asker = self._asker()
        if asker is None:
            raise NotSupported(f"PlatformIO has no upload that erases {erase.value!r}")
        return asker.erase(target, image, erase)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Lay the image out as a finished build, and have it uploaded."""
        environment = self.environment or image.environment
        project = Path(self.project).expanduser().resolve()
        if not (project / "platformio.ini").is_file():
            raise ConfigError(f"{project}: not a PlatformIO project: no platformio.ini")
        build_dir = target.scratch / "build"
        _lay_out(image, build_dir / environment)
        program = find_program(
            "pio",
            "platformio",
            wanted=self.pio,
            module="platformio",
            install="pip install platformio",
        )
        argv = (
            *program,
            *("run", "-d", str(project), "-c", str(self._config(target, environment))),
            *("-e", environment, "--disable-auto-clean"),
            *("-t", "nobuild", "-t", "upload"),
            *("--upload-port", target.port),
        )
        core_dir = Path(self.core_dir).expanduser() if self.core_dir else None
        variables = {
            **quiet_environment(core_dir),
            "PLATFORMIO_BUILD_DIR": str(build_dir),
            "PLATFORMIO_WORKSPACE_DIR": str(target.scratch / "workspace"),
        }
        return Step(name="write", argv=argv, timeout_s=self.timeout_s, env=variables)

    def _asker(self) -> FlashMethod | None:
        if self.protocol == "esptool":
            return Esptool()
        if self.protocol in BOOTLOADERS:
            return Avrdude(programmer=self.protocol)
        return None

    def _config(self, target: FlashTarget, environment: str) -> Path:
        """Write a configuration that reads the project's, and then what we change."""
        original = Path(self.project).expanduser().resolve() / "platformio.ini"
        lines = [f"upload_speed = {target.baud_bps}"]
        if self.protocol:
            lines.append(f"upload_protocol = {self.protocol}")
        override = target.scratch / _OVERRIDE
        override.write_text(f"[env:{environment}]\n" + "\n".join(lines) + "\n")
        config = target.scratch / "platformio.ini"
        config.write_text(
            f"[platformio]\nextra_configs =\n  {original}\n  {override}\n"
        )
        return config


def _lay_out(image: FirmwareImage, folder: Path) -> None:
    """Copy the artifacts to where a build would have left them."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in image.artifacts.values():
        shutil.copy(path, folder)
