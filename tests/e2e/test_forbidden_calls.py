"""A submission that waits, allocates or prints, against its brief, is found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.errors import BuildError
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.calls import FORBIDDEN
from pytest_embedbench.grading.task import ControllerApi
from pytest_embedbench.model import FirmwareImage
from tests.e2e.host_controllers import BRIEF_API, CONTROLLER, TANK
from tests.e2e.native_firmware import needs_gcc

pytestmark = needs_gcc

WEAK = "extern void port_delay_ms(unsigned) __attribute__((weak));"


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., FirmwareImage]:
    """Return a function that builds a submission for the host stage."""

    def build_it(
        code: str,
        *,
        before: str = "",
        api: ControllerApi = BRIEF_API,
        sanitize: bool = True,
    ) -> FirmwareImage:
        folder = tmp_path / "submission"
        folder.mkdir(exist_ok=True)
        (folder / "controller.c").write_text(CONTROLLER % (before, code))
        source = TANK.source(str(folder), relative_to=tmp_path)
        driver = HostDriver(api=api, sanitize=sanitize, cache_dir=tmp_path / "cache")
        return driver.build(source.for_environment(ENVIRONMENT), tmp_path / "out")

    return build_it


@pytest.mark.parametrize(
    ("before", "code", "name", "what"),
    [
        ("", "usleep(30000);", "usleep", "wait"),
        (WEAK, "if (port_delay_ms) port_delay_ms(9);", "port_delay_ms", "wait"),
        ("", "memory = malloc(4) != NULL;", "malloc", "allocate"),
        ("", 'printf("%d\\n", input.level);', "printf", "print"),
        ("#define LOG puts", 'LOG("level");', "puts", "print"),
        ("static int (*say)(const char *) = puts;", 'say("x");', "puts", "print"),
    ],
)
def test_a_call_that_the_brief_forbids_is_told_by_name(
    build: Callable[..., FirmwareImage], before: str, code: str, name: str, what: str
) -> None:
    with pytest.raises(BuildError) as told:
        build(code, before=before)
    assert f"it calls {name}: a submission to this task must not {what}" in str(
        told.value
    )


def test_text_may_be_put_into_a_buffer(build: Callable[..., FirmwareImage]) -> None:
    code = 'char text[9]; snprintf(text, sizeof text, "%d", input.level);'
    assert build(code).elf_path.is_file()


def test_what_a_task_does_not_forbid_is_allowed(
    build: Callable[..., FirmwareImage],
) -> None:
    assert build(
        "free(malloc(4));", api=replace(BRIEF_API, forbidden=())
    ).elf_path.is_file()


def test_the_published_evaluator_did_not_look(
    build: Callable[..., FirmwareImage],
) -> None:
    assert build('puts("level");', sanitize=False).elf_path.is_file()


def test_what_can_be_forbidden_is_known_to_tasks() -> None:
    assert tuple(FORBIDDEN) == BRIEF_API.forbidden
