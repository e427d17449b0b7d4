"""What a datasheet or a lab file says about a Linux target."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.console import ConnectionConfig, Credentials
from pytest_embedbench.console.ssh import SCHEME
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.inventory.board_options import LabOptions
from pytest_embedbench.lab.inventory.instruments import PREFIX
from pytest_embedbench.lab.ports.opening import ModemLines
from pytest_embedbench.support.options import option, option_location, read_options

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec

_HOST = re.compile(rf"{SCHEME}([^@/]+@)?[^@/:\s-]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinuxOptions(LabOptions):
    """The options of engine ``linux``; a key of a table has the table's name before it.

    ``port`` is where the console is: ``ssh://[user@]host[:port]``, a serial port or a
    pyserial URL. ``erase`` asks for nothing: a program starts in an empty folder.
    """

    login_user: str = option("", "who logs in")
    login_password: str = option(
        "", "the password, for a lab file that only you can read"
    )
    login_password_env: str = option(
        "", "the environment variable that holds it; better"
    )
    login_baud_bps: int = option(
        115_200, "the speed of a serial console", lowest=1, default_text="115200"
    )
    login_dtr: bool = option(default=True, help="how DTR stands on a serial console")
    login_rts: bool = option(default=True, help="the same for RTS")
    login_ssh_config: str = option("", "a configuration for ssh, if not its own")
    login_within_s: int = option(
        60, "how long logging in may take, a boot included", lowest=1
    )
    program_command: tuple[str, ...] = option(
        (),
        "what is started; `{program}` is the copied program, without which nothing is "
        "copied",
        default_text="the program itself, or Python with it",
    )
    program_folder: str = option(
        "/tmp",  # noqa: S108  # the target's, and not ours to choose
        "where on the target it is put, in a folder of its own",
    )
    program_environment: tuple[str, ...] = option((), "`NAME=value`, for the program")
    program_uart: str = option(
        "",
        "the bench's end of a wire to the program's UART: a port",
        default_text="its standard input and output",
    )
    program_device: str = option(
        "",
        "the target's end of that wire; the program finds its name in "
        "`EMBEDBENCH_UART`",
    )
    program_takes_within_ms: int = option(
        1000, "how long the program may take nothing of what is sent", lowest=0
    )

    @property
    def takes_image(self) -> bool:
        """Whether something is copied before it is started."""
        words = self.program_command
        return not words or any("{program}" in word for word in words)

    def config(self, address: str) -> ConnectionConfig:
        """Return how to get in, at the address where the target was found."""
        return ConnectionConfig(
            address=address,
            credentials=Credentials(user=self.login_user, password=self._password()),
            baud_bps=self.login_baud_bps,
            lines=ModemLines(dtr=self.login_dtr, rts=self.login_rts),
            ssh_config=self.login_ssh_config,
            within_s=self.login_within_s,
        )

    def _password(self) -> str | None:
        if not self.login_password_env:
            return self.login_password or None
        return os.environ.get(self.login_password_env)


def linux_options(spec: BoardSpec) -> LinuxOptions:
    """Return the options of a target.

    Raises:
        ConfigError: an unknown option, or a value that cannot be.
    """
    options = read_options(spec, LinuxOptions, ignoring=PREFIX)
    if bool(options.program_uart) != bool(options.program_device):
        key, other = ("uart", "device") if options.program_uart else ("device", "uart")
        raise ConfigError(
            f"{option_location(spec, f'program_{key}')}: needs program.{other}: a "
            "wire has two ends, the bench's (uart) and the target's (device)"
        )
    if options.port.startswith(SCHEME) and not _HOST.match(options.port):
        raise ConfigError(
            f"{option_location(spec, 'port')}: {options.port!r} names no host; write "
            "ssh://[user@]host[:port]"
        )
    if options.login_password_env and options.login_password_env not in os.environ:
        raise ConfigError(
            f"{option_location(spec, 'login_password_env')}: there is no "
            f"{options.login_password_env} in the environment"
        )
    for assignment in options.program_environment:
        if not _ASSIGNMENT.fullmatch(assignment):
            raise ConfigError(
                f"{option_location(spec, 'program_environment')}: {assignment!r} is "
                "not like NAME=value"
            )
    return options
