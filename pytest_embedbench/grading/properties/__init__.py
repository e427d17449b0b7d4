"""Property-based tests of firmware: sequences of lines, an oracle, a fresh board each.

Needs hypothesis, and is imported by nothing but the tests that use it.
"""

from __future__ import annotations

from importlib.util import find_spec

from pytest_embedbench.errors import ToolMissing

if find_spec("hypothesis") is None:
    raise ToolMissing(
        "pytest_embedbench.grading.properties", "hypothesis", "pip install hypothesis"
    )

from pytest_embedbench.grading.properties.examples import given_examples
from pytest_embedbench.grading.properties.host import host_rows
from pytest_embedbench.grading.properties.judging import Judge, check_against
from pytest_embedbench.grading.properties.replay import Replayed, replay
from pytest_embedbench.grading.properties.sequences import (
    Exchange,
    Sequence,
    Stream,
    firmware_sequences,
    sensor_lines,
    streams_of,
)

__all__ = [
    "Exchange",
    "Judge",
    "Replayed",
    "Sequence",
    "Stream",
    "check_against",
    "firmware_sequences",
    "given_examples",
    "host_rows",
    "replay",
    "sensor_lines",
    "streams_of",
]
