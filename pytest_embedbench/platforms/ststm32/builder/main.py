"""SCons script: build STM32 firmware as .elf and .bin.

Like the stock platform without a framework: the project brings its startup code, and
its linker script as ``board_build.ldscript``.
"""

from SCons.Script import AlwaysBuild, Builder, Default, DefaultEnvironment

env = DefaultEnvironment()
cpu = f"-mcpu={env.BoardConfig().get('build.cpu')}"

env.Replace(
    AR="arm-none-eabi-gcc-ar",
    AS="arm-none-eabi-as",
    CC="arm-none-eabi-gcc",
    CXX="arm-none-eabi-g++",
    OBJCOPY="arm-none-eabi-objcopy",
    RANLIB="arm-none-eabi-gcc-ranlib",
    SIZETOOL="arm-none-eabi-size",
    ARFLAGS=["rc"],
    PROGSUFFIX=".elf",
    SIZEPROGREGEXP=r"^(?:\.text|\.data|\.rodata|\.text.align|\.ARM.exidx)\s+(\d+).*",
    SIZEDATAREGEXP=r"^(?:\.data|\.bss|\.noinit)\s+(\d+).*",
    SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPRINTCMD="$SIZETOOL -B -d $SOURCES",
)
env.Append(
    ASPPFLAGS=["-x", "assembler-with-cpp"],
    ASFLAGS=["-mthumb", cpu],
    CCFLAGS=["-Os", "-Wall", "-ffunction-sections", "-fdata-sections", "-mthumb", cpu],
    CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
    CXXFLAGS=["-fno-rtti", "-fno-exceptions"],
    LINKFLAGS=[
        "-Os", "-Wl,--gc-sections,--relax", "-mthumb", cpu,
        "--specs=nano.specs", "--specs=nosys.specs",
    ],
    LIBS=["c", "gcc", "m"],
    BUILDERS={
        "ElfToBin": Builder(
            action=env.VerboseAction(
                "$OBJCOPY -O binary $SOURCES $TARGET", "Building $TARGET"
            ),
            suffix=".bin",
        )
    },
)  # fmt: skip
if env.get("PROGNAME", "program") == "program":
    env.Replace(PROGNAME="firmware")

elf = env.BuildProgram()
bin_file = env.ElfToBin("$BUILD_DIR/${PROGNAME}", elf)
env.Depends(bin_file, "checkprogsize")

AlwaysBuild(env.Alias("size", elf, env.VerboseAction("$SIZEPRINTCMD", "Sizing")))
AlwaysBuild(env.Alias("buildprog", bin_file, bin_file))
Default([bin_file])
