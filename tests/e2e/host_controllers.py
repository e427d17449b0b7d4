"""Submissions of a few lines in C, built for the host stage and run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_embedbench.grading.host.builder import HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.program import COPY_LIMITS, HostProgram
from pytest_embedbench.grading.task import ControllerApi, find_suite
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.processes.time_budget import TimeBudget
from tests.e2e.native_firmware import SUITES

TANK = find_suite(SUITES / "tank_fill_drain" / "test_x.py")
HEADER = (SUITES / "tank_fill_drain" / "src" / "controller.h").read_text()

# Steps as the test says in C; the rest is as little as will do.
CONTROLLER = """
#include "controller.h"
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

static int memory;
%s

void controller_init(controller_t *controller) { controller->pump_on = false; }
const char *controller_state_name(controller_state_t state) { (void)state; return ""; }

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};
    volatile int zero = 0;

    (void)zero;
    (void)memory;
    (void)controller;
    if (input.kind == CONTROLLER_INPUT_LEVEL) {
        %s
    }
    return output;
}
"""


def tank_api() -> ControllerApi:
    assert TANK.task is not None
    assert TANK.task.controller is not None
    return TANK.task.controller


BRIEF_API = tank_api()
API = replace(BRIEF_API, forbidden=())
"""The tank's, for controllers that wait, allocate and print to see what happens."""


def unfiltered_compiler(folder: Path) -> str:
    """Return a compiler whose drivers filter no system calls, as on other machines."""
    script = folder / "unfiltered" / "bin" / "cc"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text('#!/bin/sh\nexec /usr/bin/cc -DHOST_UNFILTERED "$@"\n')
    script.chmod(0o755)
    return str(script)


@dataclass
class HostStage:
    """Builds submissions in a folder, and ends what runs of them."""

    folder: Path
    programs: list[HostProgram] = field(default_factory=list)

    def build(
        self,
        code: str,
        *,
        before: str = "",
        header: str = HEADER,
        sanitize: bool = True,
        states: tuple[str, ...] = (),
        filtered: bool = True,
    ) -> FirmwareImage:
        """Build a submission, given what it does with a level."""
        submission = self.folder / "submission"
        submission.mkdir(exist_ok=True)
        (submission / "controller.c").write_text(CONTROLLER % (before, code))
        (submission / "controller.h").write_text(header)
        source = TANK.source(str(submission), relative_to=self.folder)
        api = replace(API, states=states)
        driver = HostDriver(
            api=api,
            sanitize=sanitize,
            cache_dir=self.folder / "cache",
            compiler="" if filtered else unfiltered_compiler(self.folder),
        )
        out_dir = self.folder / "out"
        shutil.rmtree(out_dir, ignore_errors=True)
        out_dir.mkdir()
        return driver.build(source, out_dir)

    def program(
        self, image: FirmwareImage, limits: TimeBudget = COPY_LIMITS
    ) -> HostProgram:
        """Return a program that ends with the test."""
        self.programs.append(HostProgram(image, limits))
        return self.programs[-1]

    def run(
        self,
        code: str,
        *,
        limits: TimeBudget = COPY_LIMITS,
        states: tuple[str, ...] = (),
        **how: Any,  # noqa: ANN401  # as build has them
    ) -> Controller:
        """Build a submission, and start it."""
        image = self.build(code, states=states, **how)
        api = replace(API, states=states)
        controller = Controller(self.program(image, limits), api)
        controller.restart()
        return controller

    def stop(self) -> None:
        """End all that runs."""
        for program in self.programs:
            program.stop()
