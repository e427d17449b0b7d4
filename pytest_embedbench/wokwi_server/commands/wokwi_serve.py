"""``embedbench wokwi-serve``: an offline Wokwi for Wokwi's own clients."""

from __future__ import annotations

import secrets
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.processes.termination import sigterm_as_interrupt
from pytest_embedbench.wokwi_server.server import WokwiServer

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands


def add_wokwi_serve(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "wokwi-serve",
        help="serve Wokwi's simulation protocol on this machine, without its cloud",
    )
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument(
        "--token", default="", help="what clients have to know; default: a new one"
    )
    parser.set_defaults(run=_serve)


def _serve(arguments: argparse.Namespace) -> int:
    token: str = arguments.token or secrets.token_urlsafe(16)
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise ConfigError("--token: must be of printable ASCII, without spaces")
    server = WokwiServer(
        Registry(),
        token=token,
        port=arguments.port,
        version=version("pytest-embedbench"),
    )
    try:
        with sigterm_as_interrupt():
            sys.stdout.write(f"export WOKWI_CLI_SERVER={server.url}\n")
            sys.stdout.write(f"export WOKWI_CLI_TOKEN={token}\n")
            sys.stdout.flush()
            server.serve()
    except KeyboardInterrupt:
        sys.stderr.write("ended\n")
    finally:
        server.close()
    return 0
