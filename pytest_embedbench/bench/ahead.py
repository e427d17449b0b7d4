"""A build that has begun before anybody asks for it, beside other work."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.model import FirmwareImage, FirmwareSource


@dataclass(slots=True, kw_only=True)
class BuildAhead:
    """One build in a thread of its own, which ends with the process at the latest."""

    source: FirmwareSource
    build: Callable[[], FirmwareImage]
    image: FirmwareImage | None = field(default=None, init=False)
    error: Exception | None = field(default=None, init=False)
    _is_over: threading.Event = field(default_factory=threading.Event, init=False)

    def begin(self) -> None:
        """Begin; whoever asks for the image waits for the end first."""
        threading.Thread(target=self._run, name="embedbench-build", daemon=True).start()

    def wait(self) -> BuildAhead:
        """Return this when there is an image, or an error."""
        self._is_over.wait()
        return self

    def has_built(self, key: str) -> bool:
        """Say whether an image is there because of this build."""
        return (
            self.image is not None
            and not self.image.was_found
            and self.image.key == key
        )

    def _run(self) -> None:
        try:
            self.image = self.build()
        except Exception as error:  # noqa: BLE001  # told to whoever asks for it
            self.error = error
        finally:
            self._is_over.set()
