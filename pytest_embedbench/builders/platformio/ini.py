"""Read ``platformio.ini`` for what a build depends on; a few ms, no PlatformIO."""

from __future__ import annotations

import configparser
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

INI = "platformio.ini"
# Options that change what is done with an image, or shown of it, but not the image.
_WITHOUT_EFFECT = re.compile(
    r"monitor_|test_|check_|upload_(port|speed|flags|command)$|"
    r"(default_envs|description|name)$"
)
_SYSENV = re.compile(r"\$\{sysenv\.([^}]+)\}")
_REFERENCE = re.compile(r"\$\{([^.{}]+)\.([^{}]+)\}")
_DEEPEST = 10
"""How often a value may refer to one that refers to another."""
_ENV_SECTION = re.compile(r"env:([\w-]+)")
_UPWARDS = re.compile(r"(?<!\.)(?:\.\./)*\.\.(?![\w.])(?:/[^\s,;:\"'>]*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectIni:
    """A project's options as they are written, interpolation left as it stands."""

    path: Path
    extra_configs: tuple[Path, ...]
    absent_configs: tuple[str, ...]
    """Those of its ``extra_configs`` that are not there; PlatformIO goes on without."""
    sections: Mapping[str, Mapping[str, str]]

    def environments(self) -> tuple[str, ...]:
        """Return the names of the environments, in the order of the file.

        Raises:
            ConfigError: there are none, and a file that may have had them is missing.
        """
        scopes = (section.partition(":") for section in self.sections)
        names = tuple(name for scope, _, name in scopes if scope == "env" and name)
        if not names and self.absent_configs:
            raise ConfigError(
                f"{self.path}: no [env:NAME] in it, and what it names as extra_configs "
                f"is not there: {', '.join(self.absent_configs)} (from "
                f"{self.path.parent}); was the project copied without it?"
            )
        return names

    def relevant(self, environment: str) -> dict[str, dict[str, str]]:
        """Return the sections and options that a build of ``environment`` reads."""
        chosen: dict[str, Mapping[str, str]] = {}
        waiting = [s for s in self.sections if not s.startswith("env:")]
        waiting.append(f"env:{environment}")
        while waiting:
            section = waiting.pop()
            if section not in chosen and section in self.sections:
                chosen[section] = self.sections[section]
                values = " ".join(self.sections[section].values())
                waiting.extend(f"env:{name}" for name in _ENV_SECTION.findall(values))
        text = "\n".join(v for options in chosen.values() for v in options.values())
        return {
            section: {
                option: value
                for option, value in chosen[section].items()
                if not _WITHOUT_EFFECT.match(option) or f".{option}}}" in text
            }
            for section in sorted(chosen)
        }

    def option(self, environment: str, name: str) -> str:
        """Return one option as written, inherited ones too; ``""`` if nobody set it."""
        waiting, seen = ["env", f"env:{environment}"], set[str]()
        while waiting:
            section = waiting.pop()
            options = self.sections.get(section, {})
            if name in options:
                return options[name].strip()
            if section not in seen:
                waiting += options.get("extends", "").replace(",", " ").split()
            seen.add(section)
        return ""

    def value(self, section: str, name: str) -> str:
        """Return an option of a section with what it refers to; ``""`` if not set."""
        scope, _, environment = section.partition(":")
        if scope == "env":
            text = self.option(environment, name)
        else:
            text = self.sections.get(section, {}).get(name, "").strip()
        for _ in range(_DEEPEST):
            filled = _REFERENCE.sub(lambda match: self._referred(match, section), text)
            if filled == text:
                break
            text = filled
        return text

    def _referred(self, match: re.Match[str], section: str) -> str:
        where, name = match[1], match[2]
        if where == "sysenv":
            return os.environ.get(name, "")
        if where == "this":
            where = section
            if name == "__env__":
                return section.partition(":")[2]
        if where.startswith("env:"):
            return self.option(where.partition(":")[2], name)
        return self.sections.get(where, {}).get(name, match[0]).strip()

    def values(self, environment: str) -> Iterator[tuple[str, str]]:
        """Yield every option that matters and its value."""
        for options in self.relevant(environment).values():
            yield from options.items()


def read_ini(path: Path, project_dir: Path) -> ProjectIni:
    """Read ``path`` and its extra configs, which are relative to ``project_dir``.

    Raises:
        ConfigError: it is not there or cannot be read, and the message names the line;
            or its sections extend each other in a circle.
    """
    parser = configparser.ConfigParser(
        inline_comment_prefixes=("#", ";"), interpolation=None
    )
    _read_into(parser, path)
    extra_configs: list[Path] = []
    absent_configs: list[str] = []
    for listed in parser.get("platformio", "extra_configs", fallback="").split():
        pattern = listed.strip(",")
        found = sorted(_glob(project_dir, pattern))
        if not found:
            absent_configs.append(pattern)
        for extra in found:
            _read_into(parser, extra)
            extra_configs.append(extra)
    if circle := _circle({name: parser[name] for name in parser.sections()}):
        raise ConfigError(
            f"{path}: its sections extend each other in a circle, in which PlatformIO "
            f"would go round for ever: {' -> '.join(circle)}"
        )
    return ProjectIni(
        path=path,
        extra_configs=tuple(extra_configs),
        absent_configs=tuple(absent_configs),
        sections={name: dict(parser.items(name)) for name in parser.sections()},
    )


def system_variables(settings: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the variables of the host that the options refer to, with values."""
    text = "\n".join(v for options in settings.values() for v in options.values())
    return {name: os.environ.get(name, "") for name in _SYSENV.findall(text)}


def paths_upwards(text: str) -> list[str]:
    """Return the paths in ``text`` that lead out of the project: ``../common``."""
    return _UPWARDS.findall(text)


def _circle(sections: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return sections of which each extends the next, back to the first; if any."""
    done: set[str] = set()

    def below(section: str, way: list[str]) -> list[str]:
        if section in way:
            return [*way[way.index(section) :], section]
        if section in done or section not in sections:
            return []
        done.add(section)
        above = sections[section].get("extends", "").replace(",", " ").split()
        return first_of(above, [*way, section])

    def first_of(names: Iterable[str], way: list[str]) -> list[str]:
        found = (below(name, way) for name in names)
        return next((circle for circle in found if circle), list[str]())

    return first_of(sections, [])


def _read_into(parser: configparser.ConfigParser, path: Path) -> None:
    try:
        with path.open(encoding="utf-8") as file:
            parser.read_file(file)
    except FileNotFoundError:
        raise ConfigError(
            f"{path.parent}: not a PlatformIO project: no {INI}"
        ) from None
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        reason = str(error).replace("\n", " ")
        raise ConfigError(f"{path}: not a readable {INI}: {reason}") from error


def _glob(project_dir: Path, pattern: str) -> list[Path]:
    path = project_dir / Path(pattern).expanduser()
    path = Path(os.path.normpath(path))
    return list(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
