"""Which of the two compilers a board needs."""

from platformio.public import PlatformBase

TOOLCHAINS = {"esp32": "toolchain-xtensa-esp32", "esp32c3": "toolchain-riscv32-esp"}


class Espressif32Platform(PlatformBase):
    """PlatformIO makes one of these per environment."""

    def configure_default_packages(self, options, targets):
        """Require the compiler of the board's processor."""
        board = self.board_config(options["board"])
        mcu = options.get("board_build.mcu", board.get("build.mcu"))
        self.packages[TOOLCHAINS[mcu]]["optional"] = False
        return super().configure_default_packages(options, targets)
