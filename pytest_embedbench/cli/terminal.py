"""A person's terminal on a board: Ctrl-] leaves."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pexpect
from serial.tools.miniterm import Miniterm

from pytest_embedbench.errors import ConfigError, ToolMissing

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.opening import SerialHandle

_LEAVES = "\x1d"


class _PortTerminal(Miniterm):
    """pyserial's terminal, which says that a port has gone in one line."""

    def reader(self) -> None:
        try:
            super().reader()
        except OSError as gone:
            sys.stderr.write(f"\r\n--- the port is gone ({gone}); Ctrl-] leaves\r\n")


def talk_over_port(port: SerialHandle, location: str) -> None:
    """Let a person talk over an open port, until Ctrl-]; lines end in LF.

    Raises:
        ConfigError: there is no terminal to talk on.
    """
    _insist_on_terminal()
    pyserials: Any = port  # as far as a terminal cares
    terminal: Any = _PortTerminal(pyserials, eol="lf", filters=["default"])
    terminal.exit_character = _LEAVES
    terminal.set_rx_encoding("UTF-8")
    terminal.set_tx_encoding("UTF-8")
    _greet(location)
    terminal.start()
    terminal.join(True)  # noqa: FBT003  # pyserial's own
    sys.stderr.write("\r\n")
    terminal.join()


def talk_over_ssh(address: str, *, user: str = "", config: str = "") -> None:
    """Let a person talk to a target over ssh, until Ctrl-] or the end of its shell.

    Raises:
        ConfigError: there is no terminal to talk on.
        ToolMissing: there is no ssh here.
    """
    _insist_on_terminal()
    if (program := shutil.which("ssh")) is None:
        raise ToolMissing(address, "ssh", "apt-get install openssh-client")
    words = [*(("-F", config) if config else ()), *(("-l", user) if user else ())]
    child: pexpect.spawn[bytes] = pexpect.spawn(program, [*words, "-tt", "--", address])
    _greet(address)
    try:
        child.interact(escape_character=_LEAVES)
    finally:
        child.close(force=True)
    sys.stderr.write("\r\n")


def _greet(location: str) -> None:
    sys.stderr.write(f"--- {location}; Ctrl-] leaves\n")
    sys.stderr.flush()


def _insist_on_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("a console needs a terminal: standard input is none")
