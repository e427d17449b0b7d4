"""What an agent's command sees of the machine: its workspace, tools, and a socket.

Hidden suites, references, other workspaces, records and the user's home are not there.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.contracts import LendsTools, LentTools
from pytest_embedbench.processes.sandbox import Policy, with_its_prefix
from pytest_embedbench.support.paths import cache_root, example_suite_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GROUPS = (
    "embedbench.boards", "embedbench.builders", "embedbench.commands",
    "embedbench.engines", "embedbench.parts", "embedbench.plants", "pytest11",
)  # fmt: skip


def agent_policy(
    workspace: Path,
    socket: Path,
    *,
    hidden: Iterable[Path],
    readable: Iterable[Path] = (),
    network: bool = False,
) -> Policy:
    """Return what is there for an agent.

    Args:
        workspace: Its own, at the same path as outside.
        socket: Of the desk.
        hidden: What it must not see, wherever it lies: task packages, records.
        readable: Its own program and what that needs.
        network: Whether it has this machine's network: models are often far away.
    """
    tools = _lent_tools()
    cache = cache_root()
    return Policy(
        empty=(cache, *tools.empty),
        readable=(
            *tools.readable,
            *(each for program in _PROGRAMS for each in with_its_prefix(program)),
            *_packages(),
            *readable,
            *(_NETWORK if network else ()),
            socket,
        ),
        hidden=(*example_suite_places(), *_byte_code(), *hidden),
        writable=(workspace,),
        folder=workspace,
        temporary=True,
        network=network,
    )


def agent_environment(variables: Iterable[str]) -> dict[str, str]:
    """Return the environment of an agent: where programs are, and what it is given.

    Args:
        variables: Names of variables of ours that it has too, such as a key to a
            model; those that are not set are left out.
    """
    beside = str(Path(sys.executable).parent)
    path = f"{beside}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    own = {"PATH": path, "LANG": os.environ.get("LANG", "C.UTF-8")}
    own["EMBEDBENCH_CACHE"] = str(cache_root())
    given = {name: os.environ[name] for name in variables if name in os.environ}
    return own | given


_PROGRAMS = (sys.executable,)
_NETWORK = (Path("/etc/resolv.conf"), Path("/etc/hosts"), Path("/etc/ssl"),
            Path("/etc/nsswitch.conf"), Path("/etc/ca-certificates"))  # fmt: skip


def _byte_code() -> Iterator[Path]:
    """Yield where Python keeps what it has compiled, hidden checks among it."""
    if sys.pycache_prefix is not None:
        yield Path(sys.pycache_prefix)


def _lent_tools() -> LentTools:
    registry = Registry()
    lent = [
        builder.lent_tools()
        for builder in map(registry.builder, registry.names("builder"))
        if isinstance(builder, LendsTools) and builder.missing() is None
    ]
    return LentTools(
        readable=tuple(path for each in lent for path in each.readable),
        empty=tuple(path for each in lent for path in each.empty),
    )


def _packages() -> Iterator[Path]:
    """Yield the folders of packages that ours finds by entry point, wherever they are.

    Of a package that is installed from a checkout it is no more than itself.
    """
    names = {"pytest_embedbench"}
    for group in _GROUPS:
        names |= {entry.value.partition(":")[0].partition(".")[0]
                  for entry in entry_points(group=group)}  # fmt: skip
    for name in sorted(names):
        spec = find_spec(name)
        if spec is None:
            continue
        for place in spec.submodule_search_locations or ():
            yield Path(place)
        if spec.origin is not None and not spec.submodule_search_locations:
            yield Path(spec.origin)
