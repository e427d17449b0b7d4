"""SCons script: build bare ESP32 or ESP32-C3 firmware as .elf and .bin.

The image takes the place of the second-stage bootloader: the ROM loads it into RAM.
The project brings ``_start``; linker symbols are ``_stack_top``, ``_bss_start`` and
``_bss_end``.
"""

from SCons.Script import AlwaysBuild, Builder, Default, DefaultEnvironment

env = DefaultEnvironment()
platform = env.PioPlatform()
board = env.BoardConfig()
mcu = board.get("build.mcu")

PREFIXES = {"esp32": "xtensa-lx106-elf-", "esp32c3": "riscv64-unknown-elf-"}
# The ESP32's cores run the instructions of the older LX106: no windows, no FPU.
FLAGS = {
    "esp32": ["-mlongcalls", "-mtext-section-literals"],
    # Before ISA version 2.2, what is now Zicsr was part of every RISC-V.
    "esp32c3": ["-misa-spec=2.2", "-march=rv32imc", "-mabi=ilp32"],
}
OFFSETS = {"esp32": "0x1000", "esp32c3": "0x0"}
TOOLCHAINS = {"esp32": "toolchain-xtensa-esp32", "esp32c3": "toolchain-riscv32-esp"}
LIBC_FOLDERS = {"esp32": "lib", "esp32c3": "lib/rv32im/ilp32"}
prefix = PREFIXES[mcu]
# Picolibc, which these compilers do not find by themselves.
libc = f"{platform.get_package_dir(TOOLCHAINS[mcu])}/libc"


# A command, and no function of SCons's: commands can be run again without PlatformIO.
flash = (
    board.get("build.flash_mode"),
    int(str(board.get("build.f_flash")).rstrip("L")) // 1_000_000,
    board.get("upload.flash_size"),
)
write_image = (
    f'"$PYTHONEXE" "{platform.get_dir()}/builder/image.py" "$SOURCE" "$TARGET" '
    f"{mcu} {' '.join(map(str, flash))}"
)

env.Replace(
    AR=f"{prefix}gcc-ar",
    AS=f"{prefix}as",
    CC=f"{prefix}gcc",
    CXX=f"{prefix}g++",
    OBJCOPY=f"{prefix}objcopy",
    RANLIB=f"{prefix}gcc-ranlib",
    SIZETOOL=f"{prefix}size",
    ARFLAGS=["rc"],
    PROGSUFFIX=".elf",
    SIZEPROGREGEXP=r"^(?:\.text|\.data)\s+(\d+).*",
    SIZEDATAREGEXP=r"^(?:\.data|\.bss)\s+(\d+).*",
    SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPRINTCMD="$SIZETOOL -B -d $SOURCES",
    ESP32_APP_OFFSET=OFFSETS[mcu],
)
env.Append(
    ASPPFLAGS=["-x", "assembler-with-cpp"],
    ASFLAGS=FLAGS[mcu],
    CCFLAGS=[
        "-Os", "-Wall", "-ffreestanding", "-ffunction-sections", "-fdata-sections",
        "-isystem", f"{libc}/include", *FLAGS[mcu],
    ],
    CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
    CXXFLAGS=["-fno-rtti", "-fno-exceptions"],
    LINKFLAGS=[
        "-Os", "-nostdlib", "-Wl,--gc-sections", "-Wl,-e,_start",
        # Its printf for whole numbers: there is no floating point to link with.
        "-Wl,--defsym=vfprintf=__i_vfprintf",
        *FLAGS[mcu],
    ],
    LIBPATH=[f"{libc}/{LIBC_FOLDERS[mcu]}"],
    LIBS=["c", "gcc"],
    BUILDERS={
        "ElfToBin": Builder(
            action=env.VerboseAction(write_image, "Building $TARGET"), suffix=".bin"
        )
    },
)  # fmt: skip
if not env.get("LDSCRIPT_PATH"):
    env.Replace(LDSCRIPT_PATH=f"{mcu}_ram.ld")
if env.get("PROGNAME", "program") == "program":
    env.Replace(PROGNAME="firmware")

elf = env.BuildProgram()
bin_file = env.ElfToBin("$BUILD_DIR/${PROGNAME}", elf)
env.Depends(bin_file, "checkprogsize")

AlwaysBuild(env.Alias("size", elf, env.VerboseAction("$SIZEPRINTCMD", "Sizing")))
AlwaysBuild(env.Alias("buildprog", bin_file, bin_file))
Default([bin_file])
