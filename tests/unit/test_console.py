"""What a console makes of what it hears, byte by byte."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.console import Console, output
from pytest_embedbench.console.shell import CommandLoop
from pytest_embedbench.console.terminal import StreamSpawn
from pytest_embedbench.engines.linux.listening import Listener
from pytest_embedbench.lab.ports.reader import Heard

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = b"[   12.345678] usb 1-1: new device\r\n"


@dataclass(slots=True)
class ScriptedWire:
    """Says what ``answer`` makes of what is typed, in pieces of one byte."""

    answer: Callable[[bytes], bytes]
    saying: bytearray = field(default_factory=bytearray)

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        del wait_s
        self.saying += self.answer(outgoing) if outgoing else b""
        said = bytes(self.saying[:1])
        del self.saying[:1]
        return said, len(outgoing)

    def wake(self) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class ScriptedTerminal:
    location: str
    spawn: StreamSpawn

    def close(self) -> None: ...


def console(answer: Callable[[bytes], bytes]) -> Console:
    spawn = StreamSpawn(ScriptedWire(answer), "script")
    return Console(ScriptedTerminal("script", spawn), CommandLoop("@@0123456789"))


def test_an_echo_is_no_output() -> None:
    """A target without stty echoes all that is typed, ends of lines in its own way."""
    said = b"\n@@01234567891+\nwell\n\n@@01234567891-0\n"
    result = console(lambda typed: typed.replace(b"\n", b"\r\n") + said).run(
        "echo well"
    )
    assert (result.status, result.output) == (0, b"well\n")


@pytest.mark.parametrize("at", range(1, 18))
def test_the_kernel_may_split_the_end_of_a_command(at: int) -> None:
    end = b"\n@@01234567891-17\n"
    split = end[:at] + KERNEL + end[at:]
    result = console(lambda _typed: b"\n@@01234567891+\nwell\n" + split).run("x")
    assert (result.status, result.output) == (17, b"well\n")
    assert result.kernel == ("[   12.345678] usb 1-1: new device",)


def test_a_word_is_never_whole_in_what_is_typed_to_start_a_loop() -> None:
    loop = CommandLoop()
    assert loop.word not in loop.started_by()
    assert "'" not in loop.started_by().split("'")[1]
    assert len(loop.started_by()) < 1000, "as much as a small shell's editor takes"
    assert CommandLoop().word != loop.word


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_listener_hears_each_line_at_once(size: int) -> None:
    loop = CommandLoop("@@0123456789")
    listener = Listener(loop, kernel_speaks=True)
    stream = (
        b"a@b [1] @@01 " + KERNEL + b"c\n" + b"[ 12] d\n" + b"end@@0123456789~139\nx"
    )
    pieces = [Heard(1.0, stream[i : i + size]) for i in range(0, len(stream), size)]
    said = b"".join(heard.data for heard in listener.hear(pieces))
    assert said == b"a@b [1] @@01 c\n[ 12] d\nend"
    assert listener.status == 139


def test_a_listener_keeps_nothing_of_a_line_back() -> None:
    listener = Listener(CommandLoop("@@0123456789"), kernel_speaks=True)
    for line in (b"ACT PUMP ON\n", b"user@host\n", b"[1.5] s\n", b"mail@@\n"):
        assert [heard.data for heard in listener.hear([Heard(1.0, line)])] == [line]


def test_a_byte_that_ends_the_program_is_told_as_a_signal() -> None:
    listener = Listener(loop := CommandLoop(), kernel_speaks=True)
    assert [heard.data for heard in listener.hear([Heard(1.0, b"x" + loop.ready)])] == [
        b"x"
    ]
    assert listener.status == 131


# U6
def test_the_end_of_an_output_can_be_shown_anywhere() -> None:
    shown = output.tail(b"\x1b[31mred\x1b[0m \x00\x0b\xff end\r\n")
    assert re.fullmatch("red \ufffd+ end", shown)


@dataclass
class Patience:
    """Time that passes only while somebody waits: so many tenths of a second."""

    budget_s: float
    asked: int = 0

    def passed(self) -> bool:
        self.asked += 1
        return self.asked > self.budget_s * 10

    def remaining_s(self) -> float:
        return 0.0


@dataclass
class SlowWire:
    """A target that has seen a key, and takes 10 s to start its loop anew."""

    loop: CommandLoop
    keys: list[bytes] = field(default_factory=list[bytes])
    waits: int = 0

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        del wait_s
        if outgoing:
            self.keys.append(outgoing)
            return self.loop.obeyed, len(outgoing)
        self.waits += 1
        return self.loop.ready if self.waits == 100 else b"", 0

    def wake(self) -> None: ...

    def close(self) -> None: ...


def test_a_target_that_is_slow_to_start_anew_is_not_pressed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The next key ended the shell that was just starting: the target was lost.
    monkeypatch.setattr("pytest_embedbench.console.console.Deadline", Patience)
    wire = SlowWire(CommandLoop())
    terminal = ScriptedTerminal("script", StreamSpawn(wire, "script"))
    Console(terminal, wire.loop).interrupt()
    assert wire.keys == [b"\x03"]
