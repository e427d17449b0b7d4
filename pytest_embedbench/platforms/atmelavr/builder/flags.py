"""The compiler's flags, as the stock platform has them: link-time optimisation too.

A framework appends them after the user's own, bare firmware before those.
"""


def append_flags(env):
    """Append them to an environment of SCons."""
    env.Append(
        CFLAGS=["-std=gnu11", "-fno-fat-lto-objects"],
        CCFLAGS=[
            "-Os", "-Wall", "-ffunction-sections", "-fdata-sections", "-flto",
            "-mmcu=$BOARD_MCU",
        ],
        CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
        CXXFLAGS=[
            "-Wno-error=narrowing", "-fno-exceptions", "-fno-threadsafe-statics",
            "-fpermissive", "-std=gnu++11",
        ],
        LINKFLAGS=[
            "-Os", "-mmcu=$BOARD_MCU", "-Wl,--gc-sections", "-flto",
            "-fuse-linker-plugin",
        ],
        LIBS=["m"],
    )  # fmt: skip
