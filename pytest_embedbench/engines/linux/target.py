"""A target that is ours: its console, and the one program that is put on it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.console import describe_exit, output
from pytest_embedbench.console.shell import QUIT
from pytest_embedbench.console.terminal import SharedTerminal
from pytest_embedbench.engines.linux.listening import Listener
from pytest_embedbench.errors import BenchFault, FlashFailed
from pytest_embedbench.lab.ports.reader import Heard, PortReader

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.console import Console, TargetSession
    from pytest_embedbench.engines.linux.options import LinuxOptions

_STARTS_WITHIN_S = 15.0
_STOPS_WITHIN_S = 5.0
_LAST_WORDS_BYTES = 4000
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
_ELF_MAGIC = b"\x7fELF"
_MACHINES = {3: "i686", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
# The number of the process is known before the program runs, and stays the same.
_START = 'echo $$ >"$0"; exec "$@"'


@dataclass(slots=True, eq=False)
class LinuxTarget:
    """Where programs are started: first ``install``, then ``start`` and ``stop``."""

    name: str
    access: TargetSession
    options: LinuxOptions
    baud_bps: int
    program: str = field(default="", init=False)
    """Where the copied program is, on the target."""
    _folder: str = field(default="", init=False)
    _image: Path | None = field(default=None, init=False)

    @property
    def console(self) -> Console:
        """Its shell."""
        return self.access.console

    def install(self, image: Path | None) -> None:
        """Make an empty folder, and copy the program into it if there is one.

        Raises:
            FlashFailed: it cannot be copied.
        """
        location = shlex.quote(f"{self.options.program_folder}/embedbench.XXXXXXXX")
        try:
            made = self.console.run(f"mktemp -d {location}").check()
            self._folder = made.text.strip()
            if image is not None:
                self._image = image
                self.program = f"{self._folder}/{image.name}"
                self.console.copy(image, self.program)
                self.console.run(f"chmod 755 {shlex.quote(self.program)}").check()
        except BenchFault as trouble:
            raise FlashFailed(self.console.location, str(trouble), ()) from trouble

    def start(self) -> Running:
        """Start the program, on a terminal of its own where there can be one.

        Raises:
            BenchFault: what it is started with is not on the target.
            BoardLost: the target is gone.
        """
        words = [self._word(word) for word in self._command()]
        if self.console.run(f"command -v {shlex.quote(words[0])}").status:
            raise BenchFault(
                f"{self.name} has no {words[0]}: install it there, or name something "
                "else in program.command"
            )
        if device := self.options.program_device:
            self.console.run(
                f"stty -F {shlex.quote(device)} {self.baud_bps} raw -echo"
            ).check()
        link = self.access.link
        console = self.console if link is None else link.another(within_s=15)
        uart = f"EMBEDBENCH_UART={device or '-'}"
        env = ["env", uart, *self.options.program_environment]
        argv = ["sh", "-c", _START, self._file("pid"), *env, *words]
        early = console.hand_over(
            f"{shlex.join(argv)} 2>{shlex.quote(self._file('stderr'))}",
            can_quit=link is None,
            within_s=_STARTS_WITHIN_S,
        )
        return Running(self, console, early)

    def last_words(self) -> str:
        """Return the end of what the program said on standard error."""
        file = shlex.quote(self._file("stderr"))
        said = self.console.run(f"tail -c {_LAST_WORDS_BYTES} {file}")
        return output.tail(said.output, _LAST_WORDS_BYTES)

    def kill(self) -> None:
        """End the program, if it still runs."""
        self.console.run(f"kill -9 $(cat {shlex.quote(self._file('pid'))}) 2>/dev/null")

    def why(self, status: int) -> str:
        """Say how a program ended, and why if it could not even begin."""
        if status not in (_NOT_EXECUTABLE, _NOT_FOUND) or self._image is None:
            return describe_exit(status)
        head = self._image.read_bytes()[:20]
        if not head.startswith(_ELF_MAGIC):
            return describe_exit(status)
        number = int.from_bytes(head[18:20], "little")
        built_for = _MACHINES.get(number, f"machine {number}")
        machine = self.console.run("uname -m").text.strip()
        return (
            f"{describe_exit(status)}: it is built for {built_for}, and the target is "
            f"{machine}"
        )

    def close(self) -> None:
        """Remove what was put there, and log out; safe to call twice."""
        try:
            if self._folder and self.console.usable:
                self.console.run(f"rm -rf {shlex.quote(self._folder)}")
                self._folder = ""
        finally:
            self.access.close()

    def _command(self) -> tuple[str, ...]:
        if self.options.program_command:
            return self.options.program_command
        assert self._image is not None, "without a command there is a program"
        if self._image.read_bytes()[:4] == _ELF_MAGIC:
            return ("{program}",)
        return ("python3", "-u", "{program}")

    def _word(self, word: str) -> str:
        device = self.options.program_device
        return word.replace("{program}", self.program).replace("{device}", device)

    def _file(self, name: str) -> str:
        return f"{self._folder}/{name}"


@dataclass(slots=True, eq=False)
class Running:
    """A program that has a terminal."""

    target: LinuxTarget
    console: Console
    early: bytes
    """What it said before anybody listened."""
    reader: PortReader = field(init=False)
    listener: Listener = field(init=False)
    _stopped: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.listener = Listener(
            self.console.loop, kernel_speaks=self.target.access.link is None
        )
        takes_within_s = self.target.options.program_takes_within_ms / 1000
        stream = SharedTerminal(self.console.terminal.spawn.stream)
        self.reader = PortReader(stream, takes_within_s).start()

    def take(self) -> list[Heard]:
        """Return what it has said since the last call."""
        heard = self.reader.take()
        if self.early:
            at_s = heard[0].at_s if heard else host_now_s()
            heard.insert(0, Heard(at_s, self.early))
            self.early = b""
        return list(self.listener.hear(heard))

    def stop(self) -> None:
        """End it, and have its terminal back or closed; safe to call twice.

        Raises:
            BoardLost: the target is gone, or the program cannot be ended.
        """
        if self._stopped:
            return
        self._stopped = True
        self.reader.stop(_STOPS_WITHIN_S)
        if self.console is self.target.console:
            self.console.interrupt((QUIT,))
        else:
            self.target.kill()
            self.console.terminal.close()
