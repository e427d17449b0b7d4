"""Run the commands of a flash method, again and slower where they fail."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s, pause
from pytest_embedbench.errors import FlashFailed
from pytest_embedbench.flashing.command import filled
from pytest_embedbench.flashing.model import Attempt, FlashTarget, Step
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.flashing.model import FlashSettings
    from pytest_embedbench.processes.guarded import Finished

_KEPT_CHARS = 4000
_LONGEST_PAUSE_S = 4.0
RESET_WITHIN_S = 20.0


@dataclass(slots=True)
class Attempts:
    """All that was tried on one board, in order."""

    settings: FlashSettings
    target: FlashTarget
    made: list[Attempt] = field(default_factory=list[Attempt])

    def retry(
        self,
        step_at: Callable[[FlashTarget], Step],
        *,
        accept: Callable[[Attempt], bool] = lambda _attempt: False,
    ) -> Attempt:
        """Run a step until it succeeds, going down one rate with each failure.

        ``enough`` may accept an attempt that failed, because it has answered.

        Raises:
            FlashFailed: it never did.
        """
        settings = self.settings
        rates = settings.method.baud_rates(self.target.baud_bps)
        for number in range(settings.attempts):
            if number:
                wait_s = settings.backoff_s * 2 ** (number - 1)
                pause(min(wait_s, _LONGEST_PAUSE_S))
            rate_bps = rates[min(number, len(rates) - 1)]
            step = step_at(replace(self.target, baud_bps=rate_bps))
            attempt = self.run_once(step, rate_bps)
            if attempt.returncode == 0 or accept(attempt):
                return attempt
        name = self.made[-1].step
        raise self.failure(f"{name} failed {settings.attempts} times")

    def run_once(self, step: Step, baud_bps: int) -> Attempt:
        """Run a step once, after the reset command if the board needs one."""
        if self.settings.reset:
            words = filled(self.settings.reset, {"port": self.target.port})
            reset = Step(name="reset", argv=words, timeout_s=RESET_WITHIN_S)
            if (attempt := self._run(reset, baud_bps)).returncode != 0:
                return attempt
        return self._run(step, baud_bps)

    def failure(self, reason: str) -> FlashFailed:
        """Return the error that lists all attempts."""
        return FlashFailed(self.target.port, reason, [str(one) for one in self.made])

    def _run(self, step: Step, baud_bps: int) -> Attempt:
        started_s = host_now_s()
        done = run_guarded(
            step.argv, timeout_s=step.timeout_s, cwd=step.cwd, env=step.env
        )
        attempt = Attempt(
            step=step.name,
            argv=step.argv,
            baud_bps=baud_bps,
            returncode=done.returncode,
            outcome=_outcome(done, step),
            duration_s=host_now_s() - started_s,
            output=f"{done.stdout}\n{done.stderr}"[-_KEPT_CHARS:],
        )
        self.made.append(attempt)
        return attempt


def _outcome(done: Finished, step: Step) -> str:
    if done.ending is GuardedExit.TIMED_OUT:
        return f"timed out at {step.timeout_s:g} s"
    return f"exit {done.returncode}"
