"""The gdb stub's protocol, spoken with scripted peers."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.engines.qemu.packets import PacketReader, packet
from pytest_embedbench.engines.qemu.rsp import Stop, Stub
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.channel_errors import (
    Disconnected,
    NoAnswer,
    ProtocolError,
)
from pytest_embedbench.processes.time_budget import TimeBudget

STOPPED = packet(b"T05thread:02;watch:3ffb1234;")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def stub_hearing(ends: tuple[socket.socket, socket.socket], said: bytes) -> Stub:
    """Return a stub whose peer has said all it ever will."""
    ours, theirs = ends
    theirs.sendall(said)
    theirs.shutdown(socket.SHUT_WR)
    return Stub(Channel(ours, os.getpid(), TimeBudget(wall_s=20.0)))


@given(st.lists(st.binary(max_size=9)), st.data())
def test_how_packets_are_split_does_not_matter(
    payloads: list[bytes], data: st.DataObject
) -> None:
    clean = [payload.translate(None, b"$#") for payload in payloads]
    stream = b"+".join(packet(payload) for payload in clean)
    cuts = data.draw(st.lists(st.integers(0, len(stream))).map(sorted))
    reader = PacketReader()
    got: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += reader.feed(stream[start:end])[0]
    assert got == clean


def test_pipelined_requests_are_answered_in_order(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    stub = stub_hearing(ends, b"+" + packet(b"one") + b"++" + packet(b"two"))
    assert stub.ask(b"a", b"b") == [b"one", b"two"]
    assert ends[1].recv(100) == packet(b"a") + packet(b"b")


def test_what_is_asked_again_is_sent_again(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    stub = stub_hearing(ends, packet(b"one") + b"-")
    with pytest.raises(Disconnected):
        stub.ask(b"a", b"b")
    assert ends[1].recv(100) == packet(b"a") + packet(b"b") + packet(b"b")


def test_a_stop_names_thread_and_watched_address(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    stub = stub_hearing(ends, packet(b"OK") + STOPPED + packet(b"T05thread:02;"))
    stopped = stub.resume(b"Z2,0,4")
    assert stopped == Stop(0x3FFB1234, b"02")
    stub.step()
    assert packet(b"vCont;s:02") in ends[1].recv(200)


def test_a_monitor_command_returns_what_was_printed(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    said = packet(b"O" + b"VM ".hex().encode()) + packet(
        b"O" + b"up\r\n".hex().encode()
    )
    stub = stub_hearing(ends, said + packet(b"OK") + packet(b"78563412"))
    assert stub.monitor("info status") == "VM up"
    assert stub.read_word(0) == 0x12345678


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"$OK#00",
        packet(b"E22"),
        packet(b""),
        packet(b"O4b4f"),
    ],
)
def test_a_peer_that_speaks_otherwise_is_found_out(
    ends: tuple[socket.socket, socket.socket], said: bytes
) -> None:
    # E1: whatever answers there, it is no gdb stub.
    stub = stub_hearing(ends, said)
    with pytest.raises(ProtocolError):
        stub.do(b"Z2,0,4")


@pytest.mark.parametrize("said", [b"", packet(b"W00"), packet(b"X0f")])
def test_an_end_in_place_of_a_stop_is_the_end(
    ends: tuple[socket.socket, socket.socket], said: bytes
) -> None:
    with pytest.raises(Disconnected):
        stub_hearing(ends, said).resume()


def test_a_refusal_among_many_is_named(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    stub = stub_hearing(ends, packet(b"OK") + packet(b"E22") + STOPPED)
    with pytest.raises(ProtocolError, match="refuses b'Z2,1,4'"):
        stub.resume(b"z2,0,4", b"Z2,1,4")


def test_a_stub_that_hangs_is_given_up(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    stub = Stub(Channel(ends[0], os.getpid(), TimeBudget(wall_s=0.1)))
    with pytest.raises(NoAnswer):
        stub.resume()
