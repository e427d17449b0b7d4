"""The driver on a board, on the host: rows told in short are the rows themselves."""

from __future__ import annotations

import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.target.source import APPLICATION, driven
from pytest_embedbench.grading.target.wire import HELLO, RESTART, Wire, init
from pytest_embedbench.grading.task import ControllerApi
from pytest_embedbench.model import FirmwareSource
from tests.e2e.native_firmware import LIBRARIES, SUITES, needs_gcc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
API = ControllerApi(
    kinds=("LEVEL", "SENSOR_TIMEOUT", "INVALID_LEVEL"),
    values=("level",),
    actuators=("pump_on",),
    serialisers=("pump",),
    states=("SAFE_OFF", "PUMPING", "HOLDING"),
)
CONTROLLER = """
#include "controller.h"
#include <stdio.h>
void controller_init(controller_t *controller) { controller->last_level = 0; }
controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};
    uint32_t mix = input.now_ms / 150U + (uint32_t)(input.level + (int)input.kind);
    fprintf(stderr, "%d %d %u\\n", (int)input.kind, input.level,
            (unsigned)input.now_ms);
    output.pump_on = mix % 3U == 0U;
    output.state = (controller_state_t)(mix / 3U % 3U);
    output.changed = mix % 7U == 0U;
    controller->last_level = input.level;
    return output;
}
"""
PORT = """
#include "embedbench_port.h"
#include <stdio.h>
#include <stdlib.h>
size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    (void)timeout_ms;
    if (fread(buffer, 1, capacity, stdin) < capacity) exit(0);
    return capacity;
}
void port_uart_write(const uint8_t *data, size_t length)
{
    fwrite(data, 1, length, stdout);
}
int main(void) { firmware_main(); }
"""
Row = tuple[int, int, int]
"""Kind, how much later than the row before in ms, level."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A driver for the tank that tells on stderr what it has stepped."""
    folder = tmp_path_factory.mktemp("driver")
    source = driven(FirmwareSource(project_dir=TANK), API, folder)
    (folder / "controller.c").write_text(CONTROLLER)
    (folder / "port.c").write_text(PORT)
    files = [source.overlay[APPLICATION], TANK / "src/protocol.c"]
    files += [folder / "controller.c", folder / "port.c"]
    files += sorted((LIBRARIES / "embedbench_frame/src").glob("*.c"))
    libraries = ("embedbench_port", "embedbench_frame")
    folders = [TANK / "src", *(LIBRARIES / name / "include" for name in libraries)]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover"]
    command = ["gcc", "-std=gnu11", "-O1", *sanitizers, "-o", str(folder / "driver")]
    command += [*(f"-I{each}" for each in folders), *map(str, files)]
    subprocess.run(command, check=True, timeout=60)
    return folder / "driver"


def packed(rows: list[Row], since_ms: int) -> Iterator[bytes]:
    """Yield rows as the host stage has them, for a request of the host's."""
    for kind, later_ms, level in rows:
        since_ms += later_ms
        yield struct.pack("=iIi", kind, since_ms, level)


def stepped(driver: Path, histories: list[list[Row]], *, one_by_one: bool) -> str:
    """Return what is stepped, and what comes of it."""
    wire = Wire(API)
    wire.restart()
    requests, since_ms = [init()], 0
    for rows in histories:
        payload = b"".join(packed(rows, since_ms))
        requests += wire.steps(payload, one_by_one=one_by_one)
        since_ms += sum(later_ms for _, later_ms, _ in rows)
    sent = b"".join(request.data for request in requests)
    done = subprocess.run(
        [driver], input=sent, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    heard = done.stdout[len(HELLO) + len(RESTART) :]
    at = init().end(heard, 0)
    answers: list[bytes] = []
    for request in requests[1:]:
        end = request.end(heard, at)
        answers.append(heard[at:end])
        at = end
    assert at == len(heard)
    assert len(requests) == 1 + len(answers)
    count = sum(map(len, histories))
    assert sum(request.step_count for request in requests) == count
    return f"{done.stderr.decode()}\n{wire.stepped(answers).hex()}"


def pattern(length: int, seed: int) -> list[Row]:
    """Return rows of which no two are alike."""
    return [
        ((seed + at) % 4, 50 * ((seed + at) % 3), (seed * 16 + at) * 7 % 300)
        for at in range(length)
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 9, 80, 600])
@pytest.mark.parametrize("length", range(1, 10))
def test_rows_that_come_again_are_stepped_as_if_each_was_told(
    driver: Path, length: int, count: int
) -> None:
    one, other = pattern(length, 1), pattern(max(1, 9 - length), 5)
    all_kept = [*one * (7 // length), other[0]]  # as much as there is room for
    histories = [
        [*one * count, other[0], *all_kept * 4],
        [*one * count, *other * 4, *one[-2:] * 5, *other[:1], *one * 3],
        [*one * count, *(other + one) * 3, *other],
    ]
    short = stepped(driver, histories, one_by_one=False)
    assert short == stepped(driver, histories, one_by_one=True)
