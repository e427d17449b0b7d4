"""SCons script: build AVR firmware as .elf and .hex, and upload it with avrdude."""

import sys

from SCons.Script import (
    COMMAND_LINE_TARGETS,
    AlwaysBuild,
    Builder,
    Default,
    DefaultEnvironment,
)

env = DefaultEnvironment()

sys.path.insert(0, f"{env.PioPlatform().get_dir()}/builder")
from flags import append_flags  # noqa: E402  # found through the line above

env.Replace(
    AR="avr-gcc-ar",
    AS="avr-as",
    CC="avr-gcc",
    CXX="avr-g++",
    OBJCOPY="avr-objcopy",
    RANLIB="avr-gcc-ranlib",
    SIZETOOL="avr-size",
    ARFLAGS=["rc"],
    PROGSUFFIX=".elf",
    SIZEPROGREGEXP=r"^(?:\.text|\.data|\.bootloader)\s+(\d+).*",
    SIZEDATAREGEXP=r"^(?:\.data|\.bss|\.noinit)\s+(\d+).*",
    SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPRINTCMD="$SIZETOOL --mcu=$BOARD_MCU -C -d $SOURCES",
    UPLOADER="avrdude",
    UPLOADERFLAGS=[
        "-p", "$BOARD_MCU", "-c", "$UPLOAD_PROTOCOL", "-P", "$UPLOAD_PORT",
        "-b", "$UPLOAD_SPEED", "-D",
    ],
    UPLOADCMD="$UPLOADER $UPLOADERFLAGS -U flash:w:$SOURCES:i",
)  # fmt: skip
env.Append(
    ASFLAGS=["-mmcu=$BOARD_MCU"],
    ASPPFLAGS=["-x", "assembler-with-cpp", "-mmcu=$BOARD_MCU"],
    BUILDERS={
        "ElfToHex": Builder(
            action=env.VerboseAction(
                "$OBJCOPY -O ihex -R .eeprom $SOURCES $TARGET", "Building $TARGET"
            ),
            suffix=".hex",
        )
    },
)  # fmt: skip
if not env.get("PIOFRAMEWORK"):
    append_flags(env)
if env.get("PROGNAME", "program") == "program":
    env.Replace(PROGNAME="firmware")

if "nobuild" in COMMAND_LINE_TARGETS:
    elf, hex_file = (f"$BUILD_DIR/${{PROGNAME}}.{kind}" for kind in ("elf", "hex"))
else:
    elf = env.BuildProgram()
    hex_file = env.ElfToHex("$BUILD_DIR/${PROGNAME}", elf)
    env.Depends(hex_file, "checkprogsize")

AlwaysBuild(env.Alias("size", elf, env.VerboseAction("$SIZEPRINTCMD", "Sizing")))
AlwaysBuild(env.Alias("nobuild", hex_file))
AlwaysBuild(env.Alias("buildprog", hex_file, hex_file))
find_port = env.VerboseAction(env.AutodetectUploadPort, "Looking for upload port...")
upload = env.VerboseAction("$UPLOADCMD", "Uploading $SOURCE")
env.AddPlatformTarget("upload", hex_file, [find_port, upload], "Upload")
Default([hex_file])
