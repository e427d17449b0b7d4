"""SCons script: the Arduino core for AVR, from wherever the package points."""

import sys
from pathlib import Path

from flags import append_flags
from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
package = Path(env.PioPlatform().get_package_dir("framework-arduino-avr"))

core = package / "cores" / board.get("build.core")
if not core.is_dir():
    sys.stderr.write(f"Error: the core {core.name} is not in the offline platform\n")
    env.Exit(1)
variants = package / "variants"
if board.get("build.variants_dir", ""):
    variants = Path(env.subst("$PROJECT_DIR")) / board.get("build.variants_dir")
variant = variants / board.get("build.variant", "standard")

if board.get("build.usb_product", ""):
    vendor, product = board.get("build.hwids")[0]
    name, maker = (
        str(text).replace('"', "")
        for text in (board.get("build.usb_product"), board.get("vendor", ""))
    )
    env.Append(
        CPPDEFINES=[
            ("USB_VID", vendor),
            ("USB_PID", product),
            ("USB_PRODUCT", f'\\"{name}\\"'),
            ("USB_MANUFACTURER", f'\\"{maker}\\"'),
        ]
    )
append_flags(env)
env.Append(
    CPPDEFINES=["ARDUINO_ARCH_AVR", ("ARDUINO", 10808)],
    CPPPATH=[str(core), str(variant)],
    LIBSOURCE_DIRS=[str(package / "libraries")],
)
# The user's warnings are for the user's sources.
of_the_core = env.Clone()
of_the_core.Append(
    CCFLAGS=["-w"],
    # The core asks for DECIMAL_DIG in C++11, which avr-libc keeps for C only.
    CXXFLAGS=["-DDECIMAL_DIG=__DECIMAL_DIG__"],
)
sources = {"": core}
if any(variant.glob("*.c*")):
    sources["Variant"] = variant
env.Prepend(
    LIBS=[
        of_the_core.BuildLibrary(f"$BUILD_DIR/FrameworkArduino{name}", str(folder))
        for name, folder in sources.items()
    ]
)
