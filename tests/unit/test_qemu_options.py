"""What a datasheet's options come to."""

from __future__ import annotations

from pathlib import Path

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.engines.qemu.guest_setup import set_up
from pytest_embedbench.engines.qemu.launch import QemuCommand
from pytest_embedbench.engines.qemu.machines import machine_for
from pytest_embedbench.engines.qemu.options import QemuOptions
from pytest_embedbench.model import FirmwareImage

NOTHING = QemuCommand(program=Path("qemu"), arguments=())
IMAGE = FirmwareImage(environment="", elf_path=Path("x.elf"), sha256="", key="")


def test_every_limit_is_an_option() -> None:
    # E16
    spec = Registry().board("qemu-stm32f405")
    options = QemuOptions(
        lockstep=False,
        cpu_limit_ms=1_000,
        boot_limit_ms=2_000,
        wall_limit_ms=3_000,
        grace_ms=4_000,
    )
    setup = set_up(spec, machine_for(spec), IMAGE, options, NOTHING)
    timing = setup.timing
    limits_s = (timing.cpu_limit_s, timing.wall_limit_s, timing.grace_s)
    assert setup.run_cpu_s == 1.0
    assert limits_s == (2.0, 3.0, 4.0)
