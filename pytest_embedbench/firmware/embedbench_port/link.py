"""SCons script: which of the ports are compiled, and what they need to be linked."""

from pathlib import Path

Import("env", "pio_lib_builder")

frameworks = env.get("PIOFRAMEWORK") or []
if "arduino" not in frameworks:
    # A C++ file, empty or not, would ask for a C++ library.
    env.Replace(SRC_FILTER=["+<*>", "-<port_arduino.cpp>"])
if env["PIOPLATFORM"] == "ststm32" and not frameworks:
    script = Path(pio_lib_builder.path) / "src" / "stm32f4" / "stm32f4.ld"
    env.Append(LINKFLAGS=[f"-Wl,-T{script}", "-nostartfiles"])
