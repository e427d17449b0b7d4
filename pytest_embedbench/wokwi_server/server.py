"""The listener: who may come in, one session for each, and the end of all of them."""

from __future__ import annotations

import hmac
import threading
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, ToolMissing
from pytest_embedbench.wokwi_server.session import ClientSession

if TYPE_CHECKING:
    from websockets.http11 import Request, Response
    from websockets.sync.server import Server, ServerConnection

    from pytest_embedbench.bench.registry import Registry

HOST = "127.0.0.1"
"""Nobody from another machine is heard."""
_MOST_FRAME_BYTES = 96 << 20
_CLOSE_WITHIN_S = 2.0
_INSTALL = "install it: pip install 'pytest-embedbench[wokwi]'"


class WokwiServer:
    """Serves simulations at ``url`` to whoever knows the token.

    Args:
        registry: Boards and engines.
        token: What a client has to send as ``Authorization: Bearer``.
        port: Where; 0 for any that is free.
        version: What clients are told.

    Raises:
        ToolMissing: websockets is not installed.
        ConfigError: the port cannot be had.
    """

    def __init__(
        self, registry: Registry, *, token: str, port: int = 0, version: str = ""
    ) -> None:
        self._registry, self._token, self._version = registry, token, version
        self._here: set[ServerConnection] = set()
        self._threads: set[threading.Thread] = set()
        self._server = self._listener(port)
        self.url = f"ws://{HOST}:{self._server.socket.getsockname()[1]}"

    def serve(self) -> None:
        """Let clients in until ``close`` is called, from another thread or a signal."""
        self._server.serve_forever()

    def close(self) -> None:
        """Let nobody in any more, end all sessions, and wait for that."""
        self._server.shutdown()
        for connection in list(self._here):
            connection.close()
        for thread in list(self._threads):
            thread.join()

    def _listener(self, port: int) -> Server:
        try:
            from websockets.sync.server import serve  # noqa: PLC0415  # an extra
        except ImportError:
            raise ToolMissing("wokwi-serve", "websockets", _INSTALL) from None
        try:
            return serve(
                self._on_client,
                HOST,
                port,
                process_request=self._refused,
                max_size=_MOST_FRAME_BYTES,
                close_timeout=_CLOSE_WITHIN_S,
                server_header=None,
            )
        except (OSError, OverflowError) as error:
            raise ConfigError(
                f"port {port} of {HOST} cannot be had ({error}): give another one, or "
                "0 for any that is free"
            ) from error

    def _refused(
        self, connection: ServerConnection, request: Request
    ) -> Response | None:
        sent = request.headers.get_all("Authorization")
        wanted = f"Bearer {self._token}".encode()
        if len(sent) == 1 and hmac.compare_digest(sent[0].encode(), wanted):
            return None
        return connection.respond(
            HTTPStatus.UNAUTHORIZED,
            "that is not the token which embedbench wokwi-serve has printed\n",
        )

    def _on_client(self, connection: ServerConnection) -> None:
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415  # an extra

        thread = threading.current_thread()
        self._here.add(connection)
        self._threads.add(thread)
        try:
            with suppress(ConnectionClosed):
                ClientSession(connection, self._registry, self._version).run()
        finally:
            self._here.discard(connection)
            self._threads.discard(thread)
