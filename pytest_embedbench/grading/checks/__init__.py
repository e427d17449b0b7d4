"""What the checks of hidden suites are made of: the front door for authors of tasks.

Every name that such a suite needs beside those of ``pytest_embedbench`` is here, to be
imported from here; each comes in when it is first asked for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.grading.brief import (
        read_brief as read_brief,
    )
    from pytest_embedbench.grading.checks import (
        disturbances as disturbances,
        malformed_lines as malformed_lines,
    )
    from pytest_embedbench.grading.checks.closed_loop import (
        answer as answer,
        repeat_only as repeat_only,
        safe_after_ms as safe_after_ms,
        switches as switches,
    )
    from pytest_embedbench.grading.checks.comparing import (
        check_histories as check_histories,
        difference as difference,
    )
    from pytest_embedbench.grading.checks.doubt import (
        ReadingsInDoubt as ReadingsInDoubt,
    )
    from pytest_embedbench.grading.checks.dual_sensor_checks import (
        Reading as Reading,
        TwoReadings as TwoReadings,
    )
    from pytest_embedbench.grading.checks.insisting import (
        insist_bound as insist_bound,
        insist_that as insist_that,
    )
    from pytest_embedbench.grading.checks.oracle import (
        Oracle as Oracle,
        load_oracle as load_oracle,
        walk as walk,
    )
    from pytest_embedbench.grading.checks.paper import (
        exchanged as exchanged,
        reacted_in_time as reacted_in_time,
        run_as_published as run_as_published,
        said as said,
        stale_reaction as stale_reaction,
        stale_reaction_ms as stale_reaction_ms,
        went_safe as went_safe,
    )
    from pytest_embedbench.grading.checks.protocol_checks import (
        check_lines as check_lines,
        check_refused as check_refused,
        check_written as check_written,
        meaning as meaning,
    )
    from pytest_embedbench.grading.checks.random_histories import (
        STARTS_MS as STARTS_MS,
        boundary_parts as boundary_parts,
        histories as histories,
        random_history as random_history,
    )
    from pytest_embedbench.grading.checks.shared import (
        answer_checks as answer_checks,
        history_checks as history_checks,
        line_checks as line_checks,
        loop_checks as loop_checks,
        paper_checks as paper_checks,
        reading_checks as reading_checks,
        step_checks as step_checks,
        tolerance_checks as tolerance_checks,
    )
    from pytest_embedbench.grading.host.controller import (
        Controller as Controller,
        Row as Row,
    )
    from pytest_embedbench.grading.host.line_protocol import (
        LineProtocol as LineProtocol,
    )
    from pytest_embedbench.grading.properties import (
        Exchange as Exchange,
        Judge as Judge,
        Replayed as Replayed,
        Sequence as Sequence,
        Stream as Stream,
        check_against as check_against,
        firmware_sequences as firmware_sequences,
        given_examples as given_examples,
        host_rows as host_rows,
        replay as replay,
        sensor_lines as sensor_lines,
        streams_of as streams_of,
    )
    from pytest_embedbench.grading.task import (
        ControllerApi as ControllerApi,
        Sensor as Sensor,
        Suite as Suite,
        Task as Task,
        find_suite as find_suite,
        load_task as load_task,
    )

_HOMES = {
    "pytest_embedbench.grading.brief": "read_brief",
    "pytest_embedbench.grading.checks": "disturbances malformed_lines",
    "pytest_embedbench.grading.checks.closed_loop": (
        "answer repeat_only safe_after_ms switches"
    ),
    "pytest_embedbench.grading.checks.doubt": "ReadingsInDoubt",
    "pytest_embedbench.grading.checks.dual_sensor_checks": "Reading TwoReadings",
    "pytest_embedbench.grading.checks.comparing": "check_histories difference",
    "pytest_embedbench.grading.checks.insisting": "insist_bound insist_that",
    "pytest_embedbench.grading.checks.oracle": "Oracle load_oracle walk",
    "pytest_embedbench.grading.checks.paper": (
        "exchanged reacted_in_time run_as_published said stale_reaction "
        "stale_reaction_ms went_safe"
    ),
    "pytest_embedbench.grading.checks.protocol_checks": (
        "check_lines check_refused check_written meaning"
    ),
    "pytest_embedbench.grading.checks.random_histories": (
        "STARTS_MS boundary_parts histories random_history"
    ),
    "pytest_embedbench.grading.checks.shared": (
        "answer_checks history_checks line_checks loop_checks paper_checks "
        "reading_checks step_checks tolerance_checks"
    ),
    "pytest_embedbench.grading.host.controller": "Controller Row",
    "pytest_embedbench.grading.host.line_protocol": "LineProtocol",
    "pytest_embedbench.grading.properties": (
        "Exchange Judge Replayed Sequence Stream check_against firmware_sequences "
        "given_examples host_rows replay sensor_lines streams_of"
    ),
    "pytest_embedbench.grading.task": (
        "ControllerApi Sensor Suite Task find_suite load_task"
    ),
}
"""The same for those who run: where each name is from."""

if not TYPE_CHECKING:  # they read the imports above, and miss what is not there
    __all__ = [name for names in _HOMES.values() for name in names.split()]
    __all__.sort()

    def __getattr__(name: str) -> object:
        if name not in __all__:  # as most of what Python itself looks for
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        from pytest_embedbench.support.exports import take  # noqa: PLC0415  # late

        return take(__name__, _HOMES, name)

    def __dir__() -> list[str]:
        return __all__
