"""The tools as a server of the Model Context Protocol, over standard input."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.door.toolbox import Toolbox
from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from pathlib import Path

_INSTRUCTIONS = (
    "Read README.md and the brief that it names. Time on boards is simulated: nothing "
    "waits, and equal runs are equal."
)
_AIDS = ("list_boards", "list_tasks", "build", "run_tests", "read_evidence",
         "open_board", "drive_board")  # fmt: skip


def door(toolbox: Toolbox) -> Any:  # noqa: ANN401  # the SDK comes as an extra
    """Return a server with the tools that are allowed here.

    Raises:
        ToolMissing: the SDK of the protocol is not installed.
    """
    try:
        server_type: Any = import_module("mcp.server").MCPServer
    except ImportError:
        what, install = "the SDK mcp", "pip install 'pytest-embedbench[mcp]'"
        raise ToolMissing("embedbench mcp", what, install) from None
    server = server_type("embedbench", instructions=_INSTRUCTIONS, log_level="ERROR")
    for name in (*(_AIDS if toolbox.has_aids() else ()), "submit"):
        server.add_tool(getattr(toolbox, name))
    return server


def serve(folder: Path) -> None:
    """Serve until the client hangs up."""
    toolbox = Toolbox(folder)
    try:
        door(toolbox).run("stdio")
    finally:
        toolbox.close()
