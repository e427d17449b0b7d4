"""PlatformIO's own class for a platform: firmware, and no program of this machine."""

from platformio.public import PlatformBase


class Ststm32Platform(PlatformBase):
    """What is built runs on a board, though no package here is an uploader."""

    def is_embedded(self):
        """Say yes: unit tests report over a UART then."""
        return True
