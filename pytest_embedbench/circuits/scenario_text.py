"""The YAML of a scenario file: of version 1.2, as Wokwi's command line reads it.

PyYAML's own loaders read version 1.1, in which ``on`` is true and ``12:30`` is 750, and
let the last of two equal keys win.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Hashable

_SAME_PLACE = "tag:yaml.org,2002:"
_MERGE = _SAME_PLACE + "merge"
_FLOAT = (
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_CORE = (
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", "true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        _FLOAT,
        list("-+.0123456789"),
    ),
    ("merge", "<<", ["<"]),
)


class _Loader(yaml.SafeLoader):
    """A safe loader of version 1.2 that takes no key twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # as PyYAML has it

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002  # PyYAML's
    ) -> dict[Hashable, Any]:
        """Return a mapping, unless one of its own keys is there twice."""
        seen: set[object] = set()
        for key, _ in node.value:
            if key.tag == _MERGE or not isinstance(key, yaml.ScalarNode):
                continue
            if (key.tag, key.value) in seen:
                problem = f"the key {key.value!r} is there twice"
                raise yaml.MarkedYAMLError(None, None, problem, key.start_mark)
            seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep=deep)


def _text(_: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return str(node.value)


def _int(_: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(node.value, 16 if node.value.startswith("0x") else 10)


for _name, _pattern, _first in _CORE:
    _Loader.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType]
        _SAME_PLACE + _name, re.compile(f"(?:{_pattern})\\Z"), _first
    )
_Loader.add_constructor(_SAME_PLACE + "int", _int)
_Loader.add_constructor(_MERGE, _text)  # as a value


def read_yaml(data: bytes, file: str) -> object:
    """Return the document of a file.

    Args:
        data: What is in it, UTF-8 or UTF-16 with its mark.
        file: What messages call it.

    Raises:
        ConfigError: it is no YAML, or has a key twice, with the line.
    """
    try:
        return yaml.load(data, _Loader)  # noqa: S506  # it is a safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{file}{line}: no YAML: {error.problem}") from error
    except RecursionError as error:
        raise ConfigError(f"{file}: no YAML of ours: too deep") from error
    except (ValueError, yaml.YAMLError) as error:
        told = " ".join(str(error).split())
        raise ConfigError(f"{file}: no YAML: {told}") from error
