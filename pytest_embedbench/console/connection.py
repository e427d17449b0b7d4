"""Get to a shell on a target, by whatever leads there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.console.login import Credentials, log_in
from pytest_embedbench.console.ssh import SCHEME, SshLink
from pytest_embedbench.console.terminal import PortTerminal
from pytest_embedbench.lab.ports.opening import ModemLines, open_port
from pytest_embedbench.lab.ports.stream import stream_for

if TYPE_CHECKING:
    from pytest_embedbench.console.console import Console

LOGIN_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionConfig:
    """How to get in.

    Args:
        address: ``ssh://[user@]host[:port]``, a serial port, or a pyserial URL.
        who: Who logs in.
        baud_bps: The speed of a serial line.
        lines: The modem lines of a serial line.
        ssh_config: A configuration of ssh's, if not its own.
        within_s: How long it may take; a target that boots first needs more.
    """

    address: str
    credentials: Credentials = field(default_factory=Credentials)
    baud_bps: int = 115_200
    lines: ModemLines = field(default_factory=ModemLines)
    ssh_config: str = ""
    within_s: float = LOGIN_WITHIN_S


@dataclass(slots=True, eq=False)
class TargetSession:
    """A target that we are logged in to."""

    console: Console
    link: SshLink | None = None
    """What leads to more terminals; a serial line is one and no more."""

    def close(self) -> None:
        """Log out and hang up; safe to call twice."""
        self.console.close()
        if self.link is not None:
            self.link.close()


def connect(config: ConnectionConfig) -> TargetSession:
    """Log in.

    Raises:
        BoardUnreachable: it is not there, or does not let us in.
        BoardBusy: another program has the serial port.
        ToolMissing: there is no ssh here.
    """
    credentials, within_s = config.credentials, config.within_s
    if config.address.startswith(SCHEME):
        link = SshLink(config.address, config=config.ssh_config, user=credentials.user)
        return TargetSession(link.log_in(credentials, within_s=within_s), link)
    port = open_port(config.address, baud_bps=config.baud_bps, lines=config.lines)
    terminal = PortTerminal(config.address, stream_for(port))
    try:
        return TargetSession(log_in(terminal, credentials, within_s=within_s))
    except BaseException:
        terminal.close()
        raise
