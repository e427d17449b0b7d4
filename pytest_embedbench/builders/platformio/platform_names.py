"""Whether a platform is one at all: a slip of the pen is no missing tool."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.cores import names_in
from pytest_embedbench.builders.platformio.ini import INI
from pytest_embedbench.builders.platformio.packages import local_platforms
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.project import Project

_PLAIN = re.compile(r"([\w-]+)\s*(?:@.*)?")
"""A platform of PlatformIO's own; others have an owner, a path or a URL."""
_REGISTERED = frozenset(
    [
        "aceinna_imu",
        "atmelavr",
        "atmelmegaavr",
        "atmelsam",
        "chipsalliance",
        "espressif32",
        "espressif32_stage",
        "espressif8266",
        "freescalekinetis",
        "gd32v",
        "heltec-cubecell",
        "infineonxmc",
        "intel_arc32",
        "intel_mcs51",
        "kendryte210",
        "lattice_ice40",
        "linux_arm",
        "linux_i686",
        "linux_x86_64",
        "maxim32",
        "microchippic32",
        "native",
        "nordicnrf51",
        "nordicnrf52",
        "nuclei",
        "nxpimxrt",
        "nxplpc",
        "quicklogic_eos",
        "raspberrypi",
        "renesas-ra",
        "riscv_gap",
        "samsung_artik",
        "shakti",
        "sifive",
        "siliconlabsefm32",
        "siwigsm",
        "ststm32",
        "ststm8",
        "teensy",
        "timsp430",
        "titiva",
        "windows_x86",
        "wiznet7500",
    ]
)
"""Those of PlatformIO's registry, which may be out of reach."""


def check_platform(named: str, where: str, installed: Iterable[str]) -> None:
    """Insist that a plain name of a platform is that of one.

    Args:
        named: What the project says, with or without a version.
        where: The project's file and environment, for the message.
        installed: Names of what PlatformIO has, also from elsewhere.

    Raises:
        ConfigError: nobody knows it.
    """
    plain = _PLAIN.fullmatch(named)
    known = _REGISTERED | local_platforms().keys()
    if plain is None or plain[1] in known or plain[1] in installed:
        return
    near = difflib.get_close_matches(plain[1], known, n=1)
    hint = f"; do you mean {near[0]!r}?" if near else ""
    raise ConfigError(
        f"{where}: platform = {named}: PlatformIO has no such platform{hint}; known: "
        f"{', '.join(sorted(known))}; any other goes by owner/name or its URL"
    )


def check_platform_of(project: Project, core_dir: Path) -> None:
    """Insist that the environment that is built names a platform; raises as above."""
    source = project.source
    named = project.ini.option(source.environment, "platform")
    where = f"{source.project_dir / INI}: env:{source.environment}"
    check_platform(named, where, names_in(core_dir))
