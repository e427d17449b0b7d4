"""This very account behind a real OpenSSH server, that listens nowhere.

The client's ``ProxyCommand`` is a server of its own: no port, nothing that waits, and
nothing left when the client is gone. Keys and configuration are made for one test.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HOST = "bench"
_SSHD = "/usr/sbin/sshd"
_SERVER = """\
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PrintMotd no
PrintLastLog no
PidFile none
LogLevel VERBOSE
"""
_CLIENT = """\
Host {host}
    User {user}
    ProxyCommand {sshd} -i -f {folder}/sshd_config -E {folder}/sshd.log
    IdentityFile {folder}/user_key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    LogLevel ERROR
"""


@dataclass(frozen=True, slots=True)
class SshServer:
    """What a client needs: ``ssh -F server.config bench``."""

    folder: Path
    host: str = HOST

    @property
    def config(self) -> Path:
        """The client's configuration."""
        return self.folder / "ssh_config"

    @property
    def key(self) -> Path:
        """The client's private key."""
        return self.folder / "user_key"

    @property
    def log(self) -> str:
        """What the servers have written down."""
        return (self.folder / "sshd.log").read_text()


def missing() -> str:
    """Say what has to be installed before there can be a server, if anything."""
    for program, package in ((_SSHD, "openssh-server"), ("ssh", "openssh-client")):
        if shutil.which(program) is None:
            return f"no {program}: apt-get install {package}"
    return ""


def ssh_server(
    folder: Path, *, passphrase: str = "", server: str = "", client: str = ""
) -> SshServer:
    """Make keys and configuration in a folder that has to be there.

    ``passphrase`` is what the client's key is kept under; ``server`` and ``client``
    are lines for ``sshd_config`` and ``ssh_config``, before those above.
    """
    for name, secret in (("host_key", ""), ("user_key", passphrase)):
        subprocess.run(
            [
                *("ssh-keygen", "-q", "-t", "ed25519", "-C", "test"),
                *("-N", secret, "-f", folder / name),
            ],
            check=True,
            timeout=60,
        )
    names = {
        "folder": folder,
        "host": HOST,
        "user": getpass.getuser(),
        "sshd": _SSHD,
    }
    (folder / "sshd_config").write_text(server + _SERVER.format(**names))
    (folder / "ssh_config").write_text(client + _CLIENT.format(**names))
    public = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"{HOST} {public}")
    if os.geteuid() == 0:
        # The service makes it at start, and no server of root's runs without it.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    return SshServer(folder)
