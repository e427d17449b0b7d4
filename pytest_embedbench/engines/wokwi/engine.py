"""The engine: boards at a server that speaks Wokwi's protocol."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.engines.wokwi.access import access_for, token_missing
from pytest_embedbench.engines.wokwi.board import ListeningWokwiBoard, WokwiBoard
from pytest_embedbench.engines.wokwi.budget import ServiceBudget
from pytest_embedbench.engines.wokwi.connection import connect, websockets_missing
from pytest_embedbench.engines.wokwi.drawing import drawing_of, report_of
from pytest_embedbench.engines.wokwi.firmware import firmware_of, image_kinds_of
from pytest_embedbench.engines.wokwi.options import AUTO, LOCAL, WokwiOptions
from pytest_embedbench.engines.wokwi.simulation import Simulation
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Capability
from pytest_embedbench.support.options import option_location, read_options
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wokwi.names import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_CAPABILITIES = frozenset(
    {Capability.VIRTUAL_TIME, Capability.RESET, Capability.CIRCUIT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wokwi:
    """Runs boards in Wokwi's cloud, or wherever its protocol is spoken.

    The options of a board are those of ``WokwiOptions``.

    Args:
        environ: Where token and server are read from.
        close_s: How long the server may take to agree that a session is over.
        retry_s: How long a busy server is left alone before the second try to connect.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    close_s: float = 1.0
    retry_s: float = 1.0

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> WokwiBoard:
        """Start ``image`` on ``spec`` at time 0.

        Raises:
            ToolMissing: there is no token, or ``websockets`` is not installed.
            ConfigError: options, diagram or image make no sense.
            ServiceFault: the server is not there, refuses, is silent, or breaks off.
        """
        options = self._options(spec)
        access = access_for(spec, options, self.environ)
        for missing in self.missing_for(spec):
            raise missing
        drawing, firmware = drawing_of(spec, options), firmware_of(spec, image)
        budget = ServiceBudget(
            answer_s=options.answer_s,
            run_s_per_s=options.run_s_per_s,
            close_s=self.close_s,
            retry_s=self.retry_s,
        )
        simulation = Simulation(connect(access, budget), budget)
        try:
            uploads = (*drawing.uploads, *firmware.uploads)
            simulation.start(uploads, {**firmware.params, "chips": [*drawing.chips]})
            kind = ListeningWokwiBoard if options.listen else WokwiBoard
            board = kind(spec, simulation, drawing)
            for pin in _listened(spec, options):
                board.circuit.keep(pin)
        except BaseException:
            simulation.close()
            raise
        return board

    def stand_in(self, spec: BoardSpec) -> str:
        """Return the board that does the same on this machine, if it is to be that.

        Raises:
            ConfigError: it is to be that, and there is none.
        """
        options = self._options(spec)
        if options.backend == LOCAL and not options.local:
            where = option_location(spec, "backend")
            raise ConfigError(f"{where}: local: {spec.name} runs in the cloud alone")
        if options.backend != AUTO:
            return options.local if options.backend == LOCAL else ""
        is_named = access_for(spec, options, self.environ).is_named
        return options.local if not is_named and _runs_here(options) else ""

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board at a server can do."""
        if self._options(spec).listen:
            return _CAPABILITIES | {Capability.READ_PINS}
        return _CAPABILITIES

    def check(self, spec: BoardSpec) -> None:
        """Raise ``ConfigError`` for a board that could never be booted."""
        access_for(spec, self._options(spec), self.environ)
        image_kinds_of(spec)

    def image_kinds(self, spec: BoardSpec) -> tuple[str, ...]:
        """Return what the server takes."""
        return image_kinds_of(spec)

    def missing(self) -> ToolMissing | None:
        """Say what to install; the token is asked for by board."""
        return websockets_missing()

    def missing_for(self, spec: BoardSpec) -> tuple[ToolMissing, ...]:
        """Say what to install, and how to get a token."""
        options = self._options(spec)
        access = access_for(spec, options, self.environ)
        found = (websockets_missing(), token_missing(access))
        return tuple(it for it in found if it is not None)

    def version(self) -> str:
        """Name the protocol; what the server is, is known when it answers."""
        return f"Wokwi's protocol, version {PROTOCOL_VERSION}"

    def version_for(self, spec: BoardSpec) -> str:
        """Return ``version()``, and where a board runs."""
        other = self.stand_in(spec)
        if other:
            return f"{self.version()}; {spec.name} runs here, as {other}"
        server = access_for(spec, self._options(spec), self.environ).server
        return f"{self.version()}, at {server}"

    def _options(self, spec: BoardSpec) -> WokwiOptions:
        options = read_options(spec, WokwiOptions)
        if not options.parts:
            where = option_location(spec, "parts")
            raise ConfigError(f"{where}: missing; name the part in diagrams")
        _listened(spec, options)
        return options


def _listened(spec: BoardSpec, options: WokwiOptions) -> list[Endpoint]:
    found: list[Endpoint] = []
    for word in options.listen.replace(",", " ").split():
        part, colon, pin = word.partition(":")
        if not (part and colon and pin):
            where = option_location(spec, "listen")
            raise ConfigError(f"{where}: {word!r} is no pin: write part:pin")
        found.append(Endpoint(part, pin))
    return found


def _runs_here(options: WokwiOptions) -> bool:
    """Say whether all parts of a board's diagram are known here."""
    from pytest_embedbench.wiring.findings import FindingKind  # noqa: PLC0415  # late

    if not options.diagram:
        return True
    elsewhere = {
        *(FindingKind.NO_MODEL, FindingKind.UNKNOWN_TYPE, FindingKind.DECORATION),
    }
    findings = report_of(Path(options.diagram)).findings
    return not any(it.kind in elsewhere for it in findings)
