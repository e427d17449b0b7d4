"""``given`` for tests with fixtures: they are made once, and serve every example."""

from __future__ import annotations

import inspect
import secrets
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

SEED_PROPERTY = "embedbench_seed"
_SEED_BITS = 32
_PHASES = (Phase.explicit, Phase.generate, Phase.shrink)


class _Node(Protocol):
    user_properties: list[tuple[str, object]]


class _Request(Protocol):
    """pytest's ``request``, as far as we need it."""

    node: _Node


def given_examples(
    *, count: int = 100, seed: int | None = None, **strategies: SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on ``count`` examples; its other arguments are fixtures, made once.

    hypothesis' own ``given`` refuses fixtures of a test, which would be dirty from the
    second example on. Here it is on the test to begin afresh: ``fresh_board()`` gives
    a board as good as new at each call, ``controller.restart()`` a controller.

    In CI (where hypothesis derandomises) the examples are always the same; elsewhere
    they differ from run to run, unless there is a ``seed``. It is in the report, and
    in ``verdict.json``.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        fixtures = [
            p for name, p in signature.parameters.items() if name not in strategies
        ]
        asks = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY)

        @wraps(test)
        def run(*, request: _Request, **given_once: Any) -> None:  # noqa: ANN401
            number = _seed() if seed is None else seed
            request.node.user_properties.append((SEED_PROPERTY, number))
            if "request" in signature.parameters:
                given_once["request"] = request

            def one(**example: Any) -> None:  # noqa: ANN401
                test(**given_once, **example)

            _on_examples(one, count, number, strategies)

        by_name = [
            p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for p in fixtures
            if p.name != asks.name
        ]
        vars(run)["__signature__"] = signature.replace(parameters=[*by_name, asks])
        return run

    return decorate


def _on_examples(
    test: Callable[..., None],
    count: int,
    number: int,
    strategies: dict[str, SearchStrategy[Any]],
) -> None:
    chosen = settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=_PHASES,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        print_blob=False,
    )
    hypothesis.seed(number)(chosen(given(**strategies)(test)))()


def _seed() -> int:
    return 0 if settings().derandomize else secrets.randbits(_SEED_BITS)
