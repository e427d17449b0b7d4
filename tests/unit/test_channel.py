"""The watched channel to a child, with scripted peers and real sleepers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from struct import Struct

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.processes import cpu_used_s, spawn, stop
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.channel_errors import (
    Disconnected,
    NoAnswer,
    ProtocolError,
)
from pytest_embedbench.processes.time_budget import TimeBudget

HEADER = Struct("=IIQ")
LONG = TimeBudget(wall_s=20.0)
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="/proc says what a process does"
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    popen = spawn(["/bin/sleep", "60"])
    yield popen
    stop(popen, grace_s=0)


def frame(kind: int, value: int, payload: bytes) -> bytes:
    return HEADER.pack(len(payload), kind, value) + payload


def test_what_has_come_is_seen_without_a_wait(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = ends
    channel = Channel(ours, os.getpid(), LONG, HEADER)
    assert not channel.has_more()
    theirs.sendall(frame(1, 2, b"one") + frame(1, 2, b"two"))
    assert channel.has_more()
    assert channel.receive()[1] == b"one"
    assert channel.has_more()
    assert channel.receive()[1] == b"two"
    assert not channel.has_more()
    theirs.close()
    assert channel.has_more()


@given(st.lists(st.tuples(st.integers(0, 9), st.binary(max_size=40))), st.data())
def test_how_frames_are_cut_does_not_matter(
    frames: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(frame(kind, 7, payload) for kind, payload in frames)
    cuts = data.draw(st.lists(st.integers(0, len(stream))).map(sorted))
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def talk() -> None:
            for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
                theirs.sendall(stream[start:end])

        thread = threading.Thread(target=talk)
        thread.start()
        channel = Channel(ours, os.getpid(), LONG, HEADER)
        got = [channel.receive() for _ in frames]
        thread.join()
    assert got == [((len(payload), kind, 7), payload) for kind, payload in frames]


def test_a_frame_longer_than_any_buffer_arrives_whole(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    payload = bytes(range(256)) * 10_000
    ours, theirs = (Channel(end, os.getpid(), LONG, HEADER) for end in ends)
    thread = threading.Thread(target=theirs.send, args=(payload, 1, 2))
    thread.start()
    assert ours.receive() == ((len(payload), 1, 2), payload)
    thread.join()


def test_a_message_of_another_kind_is_no_answer_to_wait_for(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    # Garbage announces more than ever comes.
    ends[1].sendall(b"printed by mistake")
    with pytest.raises(ProtocolError, match="kind"):
        Channel(ends[0], os.getpid(), LONG, HEADER).receive(kinds=(1, 2))


def test_last_words_are_heard_of_one_that_cannot_be_spoken_to(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ends[1].sendall(frame(3, 4, b"ouch"))
    ends[1].close()
    channel = Channel(ends[0], os.getpid(), LONG, HEADER)
    channel.send(b"are you there?", 1, 1)
    assert channel.receive() == ((4, 3, 4), b"ouch")
    with pytest.raises(Disconnected):
        channel.receive()


@on_linux
def test_a_child_that_sleeps_is_told_from_one_that_is_slow(
    ends: tuple[socket.socket, socket.socket], sleeper: subprocess.Popen[bytes]
) -> None:
    budget = TimeBudget(cpu_s=20.0, wall_s=20.0, idle_s=0.3)
    with pytest.raises(NoAnswer) as caught:
        Channel(ends[0], sleeper.pid, budget).read()
    assert caught.value.asleep
    assert caught.value.cpu_s == 0.0


def test_a_child_that_does_not_read_is_not_waited_for(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    channel = Channel(ends[0], os.getpid(), TimeBudget(wall_s=0.1))
    with pytest.raises(NoAnswer) as caught:
        channel.send(bytes(1 << 22))
    assert not caught.value.asleep
    assert caught.value.wall_s >= 0.1


@on_linux
def test_a_child_that_is_gone_is_noticed_though_another_has_its_end(
    ends: tuple[socket.socket, socket.socket], sleeper: subprocess.Popen[bytes]
) -> None:
    channel = Channel(ends[0], sleeper.pid, LONG)
    sleeper.send_signal(signal.SIGKILL)
    with pytest.raises(Disconnected):
        channel.read()


@on_linux
def test_what_a_child_has_started_counts_as_its_own() -> None:
    # A script in place of an emulator, say.
    spins = "import sys; print(flush=True)\nwhile True: pass"
    popen = spawn(
        ["/bin/sh", "-c", '"$@"; exit', "sh", sys.executable, "-S", "-c", spins],
        stdout=subprocess.PIPE,
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        try:
            assert popen.stdout is not None
            popen.stdout.readline()
            budget = TimeBudget(cpu_s=0.2, wall_s=30.0, idle_s=30.0)
            with pytest.raises(NoAnswer) as caught:
                Channel(ours, popen.pid, budget).read()
            assert (caught.value.cpu_s or 0.0) >= 0.2
            assert (cpu_used_s(popen.pid) or 0.0) >= 0.2
        finally:
            stop(popen, grace_s=0)
            assert popen.stdout is not None
            popen.stdout.close()


def test_who_waits_may_look_at_something_else_meanwhile(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    class Restarted(Exception):
        pass

    def look() -> None:
        raise Restarted

    channel = Channel(ends[0], os.getpid(), LONG, watch=look)
    with pytest.raises(Restarted):
        channel.read()
