"""A trial without pytest: a check that is a function of a bench and its circuit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench.circuits.live import open_circuit
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.contracts import HasPinUse
from pytest_embedbench.errors import BenchFault, BuildError, FirmwareFault
from pytest_embedbench.esr.model import TrialEnd, TrialFirmware, TrialResult
from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench import Rig
    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.model import BoardSpec

    Check = Callable[[Bench, Circuit], None]


@dataclass(slots=True)
class BenchTrial:
    """Runs a check on a simulated board; all files go into ``folder``."""

    rig: Rig
    spec: BoardSpec
    diagram: str
    check: Check
    folder: Path
    count: int = 0

    def run(
        self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
    ) -> TrialResult:
        """See ``Trial``."""
        begun_s = host_now_s()
        self.count += 1
        place = self.folder / str(self.count)
        place.mkdir(parents=True)
        drawn = place / "diagram.json"
        drawn.write_text(diagram or self.diagram)
        try:
            image = self._image(firmware, place)
        except BuildError as error:
            return TrialResult(end=TrialEnd.NOT_BUILT, why=str(error))
        options = {**self.spec.options, "diagram": str(drawn)}
        spec = replace(self.spec, options=options)
        told: dict[str, Any] = {"end": TrialEnd.PASSED, "image": image.elf_path}
        with self.rig.bench(spec, image, folder=place) as bench:
            board: Any = bench.board
            assert isinstance(board, HasPinUse)
            if observe:
                board.watch_pins()
            try:
                self.check(bench, open_circuit(bench))
            except (AssertionError, FirmwareFault) as error:
                told |= {"end": TrialEnd.FAILED, "why": str(error)}
            except BenchFault as error:
                told |= {"end": TrialEnd.BENCH_FAULT, "why": str(error)}
            if observe:
                told["pin_use"] = board.pin_use()
            notes = tuple(getattr(bench.board, "notes", ()))
        return TrialResult(**told, notes=notes, seconds=host_now_s() - begun_s)

    def _image(self, firmware: TrialFirmware, place: Path) -> FirmwareImage:
        if firmware.image is not None:
            digest = hashlib.sha256(firmware.image.read_bytes()).hexdigest()
            return FirmwareImage(environment="", elf_path=firmware.image, sha256=digest)
        assert firmware.source is not None
        overlay = dict(firmware.source.overlay)
        for name, data in firmware.corrected.items():
            overlay[name] = place / name
            overlay[name].parent.mkdir(parents=True, exist_ok=True)
            overlay[name].write_bytes(data)
        return self.rig.image(replace(firmware.source, overlay=overlay))
