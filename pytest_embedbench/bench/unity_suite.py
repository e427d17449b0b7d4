"""Unity's cases in what a firmware says by itself, as pytest-embedded collects them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_embedbench.errors import ConfigError, UnitTestsFailed
from pytest_embedbench.wire.unit_tests import UnitTestCase, UnityReader

UNITY_SUMMARY = re.compile(rb"(\d+) Tests (\d+) Failures (\d+) Ignored")


@dataclass(slots=True)
class UnitySuite:
    """The cases of all runs that were read so far."""

    testcases: list[UnitTestCase] = field(default_factory=list[UnitTestCase])

    @property
    def failed_cases(self) -> list[UnitTestCase]:
        """Those that have failed."""
        return [case for case in self.testcases if case.result == "FAIL"]

    def add(self, output: bytes, ran_count: int) -> None:
        """Take what was said in one run, up to its summary, which told ``ran_count``.

        Raises:
            UnitTestsFailed: cases in it have failed, or were not heard.
            ConfigError: there is no case in it.
        """
        reader = UnityReader()
        for line in output.decode("utf-8", "replace").splitlines():
            reader.read(line)
        if not reader.cases:
            raise ConfigError(
                "there is a summary of Unity's and no case before it; what was read "
                "earlier of the same run belongs into extra_before"
            )
        self.testcases += reader.cases
        failed = [str(case) for case in reader.cases if case.result == "FAIL"]
        if unheard_count := max(0, ran_count - len(reader.cases)):
            failed.append(f"{unheard_count} more that ran were not heard of")
        if failed:
            raise UnitTestsFailed(failed, ran_count)
