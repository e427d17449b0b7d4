"""Which of the two compilers a board needs, and what stands in for ESP-IDF."""

from platformio.exception import UserSideException
from platformio.public import PlatformBase


class Espressif32Platform(PlatformBase):
    """PlatformIO makes one of these per environment."""

    def configure_default_packages(self, options, targets):
        """Require the compiler of the board's processor.

        An environment that asks for ESP-IDF and says ``custom_embedbench_bare = yes``
        has sources that do without.
        """
        board = self.board_config(options["board"])
        mcu = options.get("board_build.mcu", board.get("build.mcu"))
        toolchains = self._manifest["toolchains"]
        if mcu not in toolchains:
            known = ", ".join(sorted(toolchains))
            raise UserSideException(
                f"{mcu} is not in the offline platform, which has: {known}"
            )
        self.packages[toolchains[mcu]]["optional"] = False
        if options.get("custom_embedbench_bare") == "yes":
            self.frameworks["espidf"] = {"script": "builder/bare.py"}
        return super().configure_default_packages(options, targets)

    def is_embedded(self):
        """Say yes, though no package here is an uploader."""
        return True
