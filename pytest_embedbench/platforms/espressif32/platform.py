"""Which of the two compilers a board needs, and what stands in for ESP-IDF."""

from platformio.public import PlatformBase

TOOLCHAINS = {"esp32": "toolchain-xtensa-esp32", "esp32c3": "toolchain-riscv32-esp"}


class Espressif32Platform(PlatformBase):
    """PlatformIO makes one of these per environment."""

    def configure_default_packages(self, options, targets):
        """Require the compiler of the board's processor.

        An environment that asks for ESP-IDF and says ``custom_embedbench_bare = yes``
        has sources that do without.
        """
        board = self.board_config(options["board"])
        mcu = options.get("board_build.mcu", board.get("build.mcu"))
        self.packages[TOOLCHAINS[mcu]]["optional"] = False
        if options.get("custom_embedbench_bare") == "yes":
            self.frameworks["espidf"] = {"script": "builder/bare.py"}
        return super().configure_default_packages(options, targets)
