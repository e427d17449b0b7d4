"""ESP-IDF projects: their settings reach the build, their files the flash.

The platform of these tests treats a project as PlatformIO's own for ESP-IDF does: it
writes into it what is not there, and configures anew what is newer than the last time.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.engines.qemu.espchip import contents
from pytest_embedbench.engines.qemu.machines import MACHINES
from pytest_embedbench.engines.qemu.options import EspOptions
from pytest_embedbench.errors import BuildError
from pytest_embedbench.flashing.esp_flash import table_in
from pytest_embedbench.model import BuilderSettings, FirmwareImage, FirmwareSource
from tests.support.esp_files import (
    esp_image,
    partition,
    partition_table,
)

PLATFORM = {
    "platform.json": """
{"name": "idflike", "version": "1.0.0", "title": "", "packages": {},
 "frameworks": {"espidf": {"script": "builder/idf.py"}}}
""",
    "platform.py": """
from platformio.public import PlatformBase
class IdflikePlatform(PlatformBase):
    pass
""",
    "builder/idf.py": "",
    "boards/esp32dev.json": """
{"build": {"mcu": "esp32", "f_cpu": "240000000L", "psram_size": "8MB"},
 "frameworks": ["espidf"], "name": "x", "url": "x", "vendor": "x",
 "upload": {"flash_size": "8MB", "maximum_ram_size": 1, "maximum_size": 1}}
""",
    "builder/main.py": """
import json, pathlib, shutil, struct, time
from SCons.Script import AlwaysBuild, Default, DefaultEnvironment
env = DefaultEnvironment()
env.Tool("gcc")
env.Replace(CC="gcc", LINK="gcc", PROGNAME="firmware", PROGSUFFIX=".elf")
project, build = (pathlib.Path(env.subst(p)) for p in ("$PROJECT_DIR", "$BUILD_DIR"))
here = pathlib.Path(env.PioPlatform().get_dir())
config, lists = project / ("sdkconfig." + env["PIOENV"]), project / "CMakeLists.txt"
if not config.exists():
    defaults = project / "sdkconfig.defaults"
    config.write_text(defaults.read_text() if defaults.exists() else "")
if not lists.exists():
    lists.write_text("project(x)")
cache = build / "CMakeCache.txt"
build.mkdir(parents=True, exist_ok=True)
newest = max(p.stat().st_mtime_ns for p in (config, *project.rglob("CMakeLists.txt")))
if not cache.exists() or newest > cache.stat().st_mtime_ns:
    with (here.parent / "cmake.log").open("a") as log:
        log.write("configured ")
    cache.write_text("")
options = dict(line.split("=") for line in config.read_text().split())
(build / "config").mkdir(exist_ok=True)
(build / "config" / "sdkconfig.json").write_text(json.dumps(
    {name.removeprefix("CONFIG_"): int(value) for name, value in options.items()}))
for name in ("bootloader.bin", "partitions.bin", "firmware.bin"):
    shutil.copy(here / name, build / name)
if name := env.BoardConfig().get("build.partitions", ""):
    rows = [line.split(",") for line in (project / name).read_text().splitlines()]
    (build / "partitions.bin").write_bytes(b"".join(
        struct.pack("<H2B2I16sI", 0x50AA, int(kind), int(subtype, 0), int(at, 0),
                    int(size, 0), label.encode(), 0)
        for label, kind, subtype, at, size in rows).ljust(0xC00, b"\\xff"))
env.Append(
    CPPPATH=[str(p) for p in project.glob("components/*/include")],
    ESP32_APP_OFFSET="0x10000",
    FLASH_EXTRA_IMAGES=[
        ("0x1000", "$BUILD_DIR/bootloader.bin"),
        ("0x8000", "$BUILD_DIR/partitions.bin"),
    ],
)
program = env.BuildProgram()


def make_files(target, source, env):
    files = sorted(p for p in (project / "data").rglob("*") if p.is_file())
    (build / "littlefs.bin").write_bytes(b"".join(p.read_bytes() for p in files))


AlwaysBuild(env.Alias("buildfs", None, make_files))
AlwaysBuild(env.Alias("buildprog", program))
Default(program)
""",
}
MAIN = "#include <part.h>\nint main(void) { return PART; }\n"


class IdfProject:
    """A project in a folder of its own, and the platform that builds it."""

    def __init__(self, folder: Path, builder: PlatformIO) -> None:
        self.root = folder / "project"
        self.platform = folder / "platform"
        self.builder = builder
        self.built = 0
        for path, text in PLATFORM.items():
            _write(self.platform / path, text)
        table = partition_table(
            partition(1, 2, 0x9000, 0x6000, b"nvs"),
            partition(0, 0, 0x10000, 0x100000, b"factory"),
            partition(1, 0x83, 0x110000, 0x10000, b"files"),
        )
        for name, data in (
            ("bootloader.bin", esp_image(size_code=1)),
            ("partitions.bin", table),
            ("firmware.bin", esp_image()),
        ):
            (self.platform / name).write_bytes(data)
        self.write(
            "platformio.ini",
            f"[env:esp32dev]\nplatform = symlink://{self.platform}\n"
            "board = esp32dev\nframework = espidf\n",
        )
        self.write("src/main.c", MAIN)
        self.write("components/part/include/part.h", "#define PART 7\n")

    def write(self, path: str, text: str) -> None:
        _write(self.root / path, text)

    def build(self) -> FirmwareImage:
        self.built += 1
        source = FirmwareSource(project_dir=self.root, environment="esp32dev")
        return self.builder.build(source, self.root.parent / f"out-{self.built}")

    def settle(self) -> int:
        """Build until the platform is installed; return how often it has configured."""
        self.build()
        self.write("src/main.c", f"{MAIN}\n")
        self.build()
        return self.configured()

    def configured(self) -> int:
        """How often the platform has run what stands for cmake."""
        log = self.platform.parent / "cmake.log"
        return len(log.read_text().split()) if log.is_file() else 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(platformio: PlatformIO, tmp_path: Path) -> IdfProject:
    return IdfProject(tmp_path, platformio)


def test_settings_and_components_reach_the_build(project: IdfProject) -> None:
    project.write("sdkconfig.defaults", "CONFIG_FREERTOS_HZ=1000\n")
    image = project.build()
    assert image.artifacts["sdkconfig.json"].read_text() == '{"FREERTOS_HZ": 1000}'


def test_a_second_build_does_not_run_cmake_anew(project: IdfProject) -> None:
    project.write("sdkconfig.defaults", "CONFIG_FREERTOS_HZ=1000\n")
    before = project.settle()
    project.write("src/main.c", MAIN.replace("PART;", "PART + 1;"))
    project.build()
    assert project.configured() == before


def test_neither_does_one_after_a_compiler_error(project: IdfProject) -> None:
    before = project.settle()
    project.write("src/main.c", MAIN.replace("PART;", "PART"))
    with pytest.raises(BuildError):
        project.build()
    project.write("src/main.c", MAIN)
    project.build()
    assert project.configured() == before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sdkconfig.defaults", "CONFIG_FREERTOS_HZ=500\n"),
        ("CMakeLists.txt", "project(y)\n"),
        ("src/more.c", "int more;\n"),
    ],
)
def test_a_change_of_settings_is_one_of_the_image(
    project: IdfProject, path: str, text: str
) -> None:
    # as in a fresh checkout: what the last build left is not taken for the user's
    project.write("sdkconfig.defaults", "CONFIG_FREERTOS_HZ=1000\n")
    before = project.settle()
    project.write(path, text)
    image = project.build()
    assert project.configured() == before + 1
    expected = "500" if "500" in text else "1000"
    assert expected in image.artifacts["sdkconfig.json"].read_text()


def test_a_data_folder_is_in_the_flash(project: IdfProject) -> None:
    assert "littlefs.bin" not in project.build().artifacts
    project.write("data/hello.txt", "hello, flash")
    image = project.build()
    assert image.metadata["flash_images"].endswith("0x110000=littlefs.bin")
    held, size_mb = contents(
        replace(image, elf_path=Path("firmware.elf")), MACHINES["esp32"], EspOptions()
    )
    assert size_mb == 8
    assert {region.offset: region.data for region in held}[0x110000] == b"hello, flash"


PARTITIONS = """nvs,1,0x02,0x9000,0x6000
factory,0,0x00,0x10000,0x140000
files,1,0x83,{},0x10000
"""


def test_the_users_partitions_are_the_ones_in_the_flash(project: IdfProject) -> None:
    ini = (project.root / "platformio.ini").read_text()
    table = "board_build.partitions = partitions.csv"
    project.write("platformio.ini", f"{ini}{table}\n")
    project.write("data/hello.txt", "hello, flash")
    for offset in (0x150000, 0x160000):
        project.write("partitions.csv", PARTITIONS.format(hex(offset)))
        image = replace(project.build(), elf_path=Path("firmware.elf"))
        held, _ = contents(image, MACHINES["esp32"], EspOptions())
        rows = {row.label: row.offset for row in table_in(held) or ()}
        assert rows == {"nvs": 0x9000, "factory": 0x10000, "files": offset}
        places = {region.offset: region.data for region in held}
        assert places[offset] == b"hello, flash"


def test_the_boards_manifest_says_how_big_flash_and_psram_are(
    project: IdfProject,
) -> None:
    image = project.build()
    assert image.metadata["flash_size"] == "8MB"
    assert image.metadata["psram_size"] == "8MB"


def test_the_time_limit_of_a_build_is_the_users(project: IdfProject) -> None:
    project.write("slow.py", "import time\ntime.sleep(60)\n")
    ini = (project.root / "platformio.ini").read_text()
    project.write("platformio.ini", f"{ini}extra_scripts = slow.py\n")
    project.builder = project.builder.with_settings(BuilderSettings(timeout_s=2.0))
    with pytest.raises(BuildError, match=r"after 2 s \(--embedbench-build-limit\)"):
        project.build()
