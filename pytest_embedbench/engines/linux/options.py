"""What a datasheet or a lab file says about a Linux target."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_type_hints

from pytest_embedbench.console import ConnectionConfig, Credentials
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.inventory.labfile import WAIT_S
from pytest_embedbench.lab.inventory.serial_options import place_of
from pytest_embedbench.lab.ports.opening import ModemLines
from pytest_embedbench.support.toml_schema import check_keys

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of engine ``linux``; a key of a table has the table's name before it.

    Args:
        port: Where the console is: ``ssh://[user@]host[:port]``, a serial port or a
            pyserial URL; with ``usb_serial``, ``usb_id`` and ``usb_location`` as in a
            lab file.
        lab: The lab file that says so.
        wait_s: How long to wait for the target while others have it.
        erase: Nothing: a program starts in an empty folder anyway.
        login_user: Who logs in.
        login_password: The password, for a lab file that only you can read.
        login_password_env: The environment variable that holds it; better.
        login_baud_bps: The speed of a serial console.
        login_dtr: How DTR stands on a serial console.
        login_rts: The same for RTS.
        login_ssh_config: A configuration for ssh, if not its own.
        login_within_s: How long logging in may take, a boot included.
        program_command: What is started; ``{program}`` is the copied program, without
            which nothing is copied. Empty: the program itself, or Python with it.
        program_folder: Where on the target it is put, in a folder of its own.
        program_environment: ``NAME=value``, for the program.
        program_uart: The bench's end of a wire to the program's UART: a port. Empty:
            the UART is the program's standard input and output.
        program_device: The target's end of that wire; the program finds its name in
            ``EMBEDBENCH_UART``.
        program_takes_within_ms: How long the program may take nothing of what is sent.
    """

    port: str = ""
    usb_serial: str = ""
    usb_id: str = ""
    usb_location: str = ""
    lab: str = ""
    wait_s: int = WAIT_S
    erase: str = ""
    login_user: str = ""
    login_password: str = ""
    login_password_env: str = ""
    login_baud_bps: int = 115_200
    login_dtr: bool = True
    login_rts: bool = True
    login_ssh_config: str = ""
    login_within_s: int = 60
    program_command: tuple[str, ...] = ()
    program_folder: str = "/tmp"  # noqa: S108  # the target's, and not ours to choose
    program_environment: tuple[str, ...] = ()
    program_uart: str = ""
    program_device: str = ""
    program_takes_within_ms: int = 1000

    @property
    def takes_image(self) -> bool:
        """Whether something is copied before it is started."""
        words = self.program_command
        return not words or any("{program}" in word for word in words)

    def entrance(self, address: str) -> ConnectionConfig:
        """Return how to get in, at the address where the target was found."""
        return ConnectionConfig(
            address=address,
            who=Credentials(user=self.login_user, password=self._password()),
            baud_bps=self.login_baud_bps,
            lines=ModemLines(dtr=self.login_dtr, rts=self.login_rts),
            ssh_config=self.login_ssh_config,
            within_s=self.login_within_s,
        )

    def _password(self) -> str | None:
        if not self.login_password_env:
            return self.login_password or None
        return os.environ.get(self.login_password_env)


def options_of(spec: BoardSpec) -> Options:
    """Return the options of a target.

    Raises:
        ConfigError: one is unknown, of the wrong type, or makes no sense.
    """
    kinds = {
        key: kind if kind in (str, int, bool) else tuple
        for key, kind in get_type_hints(Options).items()
    }
    lab = str(spec.options.get("lab", ""))
    file, prefix = (lab, f"boards.{spec.name}.") if lab else (f"board {spec.name}", "")
    check_keys(file, f"{prefix}options.", spec.options, required={}, optional=kinds)
    options = Options(**spec.options)  # type: ignore[arg-type]  # checked above
    if bool(options.program_uart) != bool(options.program_device):
        key, other = ("uart", "device") if options.program_uart else ("device", "uart")
        raise ConfigError(
            f"{place_of(spec, 'program', key)}: needs program.{other}: a wire has two "
            "ends, the bench's (uart) and the target's (device)"
        )
    if options.login_password_env and options.login_password_env not in os.environ:
        raise ConfigError(
            f"{place_of(spec, 'login', 'password_env')}: there is no "
            f"{options.login_password_env} in the environment"
        )
    for assignment in options.program_environment:
        if not _ASSIGNMENT.fullmatch(assignment):
            raise ConfigError(
                f"{place_of(spec, 'program', 'environment')}: {assignment!r} is not "
                "like NAME=value"
            )
    return options
