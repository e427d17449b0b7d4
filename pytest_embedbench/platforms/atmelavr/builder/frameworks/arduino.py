"""SCons script: the Arduino core for AVR, from wherever the package points."""

from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
package = Path(env.PioPlatform().get_package_dir("framework-arduino-avr"))

core = package / "cores" / board.get("build.core")
variant = package / "variants" / board.get("build.variant")

env.Append(
    CPPDEFINES=[("ARDUINO", 10819), "ARDUINO_ARCH_AVR"],
    CPPPATH=[str(core), str(variant)],
    CCFLAGS=["-w"],
    # The core asks for DECIMAL_DIG in C++11, which avr-libc keeps for C only.
    CXXFLAGS=["-fpermissive", "-DDECIMAL_DIG=__DECIMAL_DIG__"],
    LIBSOURCE_DIRS=[str(package / "libraries")],
)
env.Prepend(
    LIBS=[
        env.BuildLibrary("$BUILD_DIR/FrameworkArduino", str(core)),
        *(
            [env.BuildLibrary("$BUILD_DIR/FrameworkArduinoVariant", str(variant))]
            if any(variant.glob("*.c*"))
            else []
        ),
    ]
)
