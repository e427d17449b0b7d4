"""One websocket to a service: every wait ends, and every failure is a sentence."""

from __future__ import annotations

import logging
import ssl
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.engines.wokwi.access import HOW_TO_GET_IN, TOKEN_VARIABLE
from pytest_embedbench.errors import BadFrame, ServiceFault, ToolMissing
from pytest_embedbench.wokwi.messages import encode, parse

if TYPE_CHECKING:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import ClientConnection

    from pytest_embedbench.engines.wokwi.access import Access
    from pytest_embedbench.engines.wokwi.budget import ServiceBudget
    from pytest_embedbench.wokwi.messages import Frame

_AGAIN = frozenset({408, 503, 524})
"""What a server that is busy answers; Wokwi's own client tries again then."""
_NOT_LET_IN = frozenset({401, 403})
_USED_UP = frozenset({402, 429})
_MOST_BYTES = 64 << 20
"""Of one frame: waves and pictures come in one."""
_AGENT = "pytest-embedbench"


def websockets_missing() -> ToolMissing | None:
    """Say what to install, if it is not there."""
    if find_spec("websockets") is None:
        install = "install it: pip install 'pytest-embedbench[wokwi]'"
        return ToolMissing("wokwi", "websockets 15 or newer", install)
    return None


class ServiceConnection:
    """A websocket that is open; once it has failed, it says why for ever."""

    def __init__(
        self, opened: ExitStack, websocket: ClientConnection, access: Access
    ) -> None:
        self._opened, self._websocket, self._access = opened, websocket, access
        self._failure: ServiceFault | None = None

    def send(self, *frames: Frame) -> None:
        """Send frames.

        Raises:
            ServiceFault: the other end is gone.
        """
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415  # an extra

        self._raise_again()
        try:
            for frame in frames:
                self._websocket.send(encode(frame))
        except ConnectionClosed as closed:
            raise self.failed(_closed(closed)) from None

    def receive(self, deadline: Deadline, awaited: str) -> Frame:
        """Return the next frame; ``awaited`` says what for.

        Raises:
            ServiceFault: none came in time, or the other end is gone.
            BadFrame: it is none.
        """
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415  # an extra

        self._raise_again()
        try:
            came = self._websocket.recv(timeout=deadline.remaining_s())
            if isinstance(came, str):  # a server may say what it was sent
                came = self._access.token.taken_out(came)
            return parse(came)
        except TimeoutError:
            told = f"was silent for {deadline.budget_s:g} s"
            raise self.failed(f"{told} while {awaited}") from None
        except ConnectionClosed as closed:
            raise self.failed(f"{_closed(closed)} while {awaited}") from None
        except BadFrame as garbage:
            told = f"does not speak the protocol, while {awaited}: {garbage}"
            raise self.failed(told, BadFrame) from None

    def failed(
        self, what: str, kind: type[ServiceFault] = ServiceFault
    ) -> ServiceFault:
        """Close at once, and return why; whoever asks later is told the same."""
        told = f"{self._access.server} {what}"
        self._failure = kind(self._access.token.taken_out(told))
        self.close()
        return self._failure

    def close(self) -> None:
        """Say goodbye; the other end may take a moment to agree. Safe to call twice."""
        self._opened.close()
        if (pings := self._websocket.keepalive_thread) is not None:
            pings.join()  # at once: the thread that it waits for has ended

    def _raise_again(self) -> None:
        if self._failure is not None:
            raise self._failure


def connect(access: Access, budget: ServiceBudget) -> ServiceConnection:
    """Open a connection; where the server is busy, try once more.

    Raises:
        ToolMissing: ``websockets`` is not installed.
        ServiceFault: there is no server, or it does not let us in.
    """
    missing = websockets_missing()
    if missing is not None:
        raise missing
    from websockets.exceptions import InvalidStatus  # noqa: PLC0415  # an extra

    deadline = Deadline(budget.answer_s)
    try:
        return _open(access, budget, deadline)
    except InvalidStatus as refusal:
        if refusal.response.status_code not in _AGAIN:
            raise _refused(access, refusal.response.status_code) from None
    pause(min(budget.retry_s, deadline.remaining_s()))
    try:
        return _open(access, budget, deadline)
    except InvalidStatus as refusal:
        raise _refused(access, refusal.response.status_code) from None


def _open(
    access: Access, budget: ServiceBudget, deadline: Deadline
) -> ServiceConnection:
    from websockets.exceptions import (  # noqa: PLC0415  # an extra
        InvalidHandshake,
        InvalidStatus,
    )

    try:
        return _opened(access, budget, deadline)
    except InvalidStatus:
        raise
    except InvalidHandshake as error:
        told = f"is no server of websockets: {error}"
    except TimeoutError:
        told = f"did not answer within {budget.answer_s:g} s"
    except ssl.SSLError as error:
        told = f"cannot be reached over TLS: {_of_tls(error)}"
    except OSError as error:
        told = f"cannot be reached: {error.strerror or error}"
    raise ServiceFault(access.token.taken_out(f"{access.server} {told}"))


def _opened(
    access: Access, budget: ServiceBudget, deadline: Deadline
) -> ServiceConnection:
    from websockets.sync.client import connect as open_websocket  # noqa: PLC0415

    with ExitStack() as opened:
        websocket = opened.enter_context(
            open_websocket(
                access.server,
                proxy=None if access.is_loopback else True,
                open_timeout=deadline.remaining_s(),
                close_timeout=budget.close_s,
                ping_timeout=None,  # who simulates is busy, and has a budget
                max_size=_MOST_BYTES,
                user_agent_header=_AGENT,
                additional_headers=access.token.headers(),
                logger=_silent(),
            )
        )
        return ServiceConnection(opened.pop_all(), websocket, access)


def _silent() -> logging.Logger:
    """Return a logger that keeps what goes over the wire, the token too, to itself."""
    logger = logging.getLogger(f"{__name__}.websocket")
    logger.disabled = True
    return logger


def _refused(access: Access, status: int) -> ServiceFault:
    told = f"{access.server} answered HTTP {status}"
    if status in _NOT_LET_IN and not access.token:
        return ServiceFault(
            f"{told}: it wants a token, and {TOKEN_VARIABLE} has none: {HOW_TO_GET_IN}"
        )
    if status in _NOT_LET_IN:
        return ServiceFault(
            f"{told}: it does not take the token in {TOKEN_VARIABLE}: {HOW_TO_GET_IN}"
        )
    if status in _USED_UP:
        return ServiceFault(
            f"{told}: what your plan has of simulation time is used up, or it is asked "
            "too often; see https://wokwi.com/dashboard/ci"
        )
    if status in _AGAIN:
        return ServiceFault(f"{told}, twice: it is busy; run the tests again later")
    return ServiceFault(f"{told} in place of opening a websocket: is the path right?")


def _closed(closed: ConnectionClosed) -> str:
    received = closed.rcvd
    if received is None:
        return "broke the connection off"
    reason = f", {received.reason!r}" if received.reason else ""
    return f"closed the connection (code {received.code}{reason})"


def _of_tls(error: ssl.SSLError) -> str:
    verified = getattr(error, "verify_message", "")
    return verified or (error.reason or str(error)).lower().replace("_", " ")
