"""What a host check holds: a controller to step."""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, UnknownName, WrongOutput
from pytest_embedbench.grading.host.calling import IDLE, Calling
from pytest_embedbench.grading.host.history import (
    FILE,
    UNKNOWN,
    StepBatch,
    TakenStep,
    fields,
    lines,
)
from pytest_embedbench.grading.host.holding import changes, payloads
from pytest_embedbench.grading.host.messages import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_embedbench.grading.host.holding import Hold
    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.task import ControllerApi

Row = Sequence[str | int]
"""Input kind, time in ms, then the values in the task's order, 0 by default."""
_BATCH_STEPS = 4096
_SHOWN_STEPS = 30
_UINT32 = 0xFFFF_FFFF
# The fields are the task's: no type checker can know them.
_record: Callable[..., Any] = cache(namedtuple)  # noqa: PYI024  # see above


@dataclass(slots=True, repr=False)
class Controller:
    """A controller in a process or on a board of its own, after ``controller_init``.

    That is called once in each: to begin again is to begin in another process.

    What a step returns has the task's actuators as booleans (``pump_on``), ``changed``
    (of idle steps only, like the shell), and ``state`` by name, ``None`` for a value
    that is none, if the task has states.

    With ``as_firmware`` it is called as its brief promises: steps between those that
    are asked for are made up, see ``calling``. Else each row is one call, whatever its
    time, as the published evaluator has it.

    Where each step takes long, a check may leave out all but one in ``sampled`` of its
    longest histories; ``sample`` says which were, for the records.
    """

    program: SteppedProgram
    api: ControllerApi
    as_firmware: bool = False
    sampled: int = 1
    _calling: Calling = field(init=False, default_factory=Calling)
    _kinds: dict[str, int] = field(init=False)
    _states: tuple[str | None, ...] = field(init=False)
    _step: struct.Struct = field(init=False)
    _stepped: struct.Struct = field(init=False)
    _output: Callable[..., Any] = field(init=False)
    _known: dict[bytes, Any] = field(init=False, default_factory=dict[bytes, Any])
    """What records of the driver's mean: few differ."""
    batches: list[StepBatch] = field(init=False, default_factory=list["StepBatch"])
    """All steps since ``controller_init``."""
    samples: list[str] = field(init=False, default_factory=list[str])

    def __repr__(self) -> str:
        return "controller"

    def __post_init__(self) -> None:
        api = self.api
        self._kinds = {name: i for i, name in enumerate((IDLE, *api.kinds))}
        self._states = (*api.states, None)  # at -1, too
        self._step = struct.Struct(f"=iI{len(api.values)}i")
        self._stepped = struct.Struct(f"=?b{len(api.actuators)}?")
        named_state = ("state",) if api.states else ()
        self._output = _record("Output", (*api.actuators, "changed", *named_state))

    def step(self, kind: str = IDLE, *, now_ms: int, **values: int) -> Any:  # noqa: ANN401  # fields as the task has them
        """Call ``controller_step`` once; values that are not given are 0.

        Raises:
            FirmwareCrash: it crashed, or did what C does not define.
            FirmwareSpin: it did not come back.
        """
        for name in values:
            if name not in self.api.values:
                raise UnknownName("value", name, self.api.values)
        given = [values.get(name, 0) for name in self.api.values]
        return self.run([(kind, now_ms, *given)])[0]

    def run(self, rows: Iterable[Row]) -> list[Any]:
        """Call ``controller_step`` for each row, fast; raises what ``step`` raises.

        ``controller.run([("LEVEL", 100, 20), ("NONE", 1101)])``

        Raises:
            ConfigError: a row is no step of this task, or time goes back in it.
        """
        if not self.as_firmware:
            return self._run_all(iter(rows))
        asked: list[bool] = []
        outputs = self._run_all(self._filled(rows, asked))
        return [output for output, wanted in zip(outputs, asked, strict=True) if wanted]

    def _filled(self, rows: Iterable[Row], asked: list[bool]) -> Iterator[Row]:
        """Yield all steps, and note which of them were asked for."""
        for row, wanted in self._calling.filled(rows):
            asked.append(wanted)
            yield row

    def _run_all(self, rows: Iterator[Row]) -> list[Any]:
        outputs: list[Any] = []
        while batch := list(islice(rows, _BATCH_STEPS)):
            outputs.extend(self._run_batch(batch))
        return outputs

    def hold(self, hold: Hold, *, since_ms: int, count: int) -> list[tuple[Row, Any]]:
        """Take ``count`` periods of the same lines, and return what is said anew.

        That is the first step, and each whose output is not that of the step before
        it. The first period begins at ``since_ms``, when the last step was.

        Raises:
            FirmwareFault: as ``step`` does.
        """
        period, said = hold.period(), list[tuple[Row, Any]]()
        before, size = b"", self._stepped.size

        def row(first: int, number: int) -> Row:
            kind, after_ms, *values = period[number % len(period)]
            begun_ms = since_ms + (first + number // len(period)) * hold.every_ms
            return (kind, begun_ms + int(after_ms), *values)

        for first, payload in payloads(hold, since_ms, self._packed, count=count):
            answer = self._ask(payload, partial(row, first))
            for number in changes(answer, size, before):
                record = answer[number * size : (number + 1) * size]
                said.append((row(first, number), self._outputs(record)[0]))
            before = answer[-size:]
        self._calling.now_ms = since_ms + count * hold.every_ms
        return said

    def expect(self, *rows: Row, **wanted: bool | str) -> Any:  # noqa: ANN401
        """Take these steps, and insist on what the last of them returns.

        ``controller.expect(("LEVEL", 100, 20), ("NONE", 1101), pump_on=False)``

        Raises:
            WrongOutput: a field is not as ``wanted``.
            FirmwareFault: as ``step`` does.
        """
        output = self.run(rows)[-1]
        given = {name: getattr(output, name) for name in wanted}
        if given != wanted:
            raise WrongOutput(
                f"controller_step({self._call(rows[-1])}) gives {fields(given)}; "
                f"it has to give {fields(wanted)}"
            )
        return output

    def restart(self) -> None:
        """Begin again as at power-on, with nothing left of what was."""
        self.program.open()
        self._calling = Calling()
        self.batches.clear()
        self.program.ask(Kind.INIT, doing=lambda _: "in controller_init")

    def sample(self, what: str) -> int:
        """Return of how many of these one is enough here, and remember that."""
        if self.sampled > 1:
            self.samples.append(f"one in {self.sampled} of {what}")
        return self.sampled

    def history(self) -> str:
        """Return the last steps since ``controller_init``, one a line."""
        last: list[TakenStep] = []
        for batch in reversed(self.batches):
            last[:0] = self._taken(batch)
            if len(last) >= _SHOWN_STEPS:
                break
        return "\n".join(
            f"{self._call(step.row)} -> {step.returned}"
            for step in last[-_SHOWN_STEPS:]
        )

    def history_file(self, task: str) -> Iterator[str]:
        """Yield the lines of ``history.txt``: all steps, those made up, too."""
        values = " ".join(self.api.values)
        yield f"# embedbench replay {task} {FILE} --embedbench-firmware=DIR"
        yield f"# kind now_ms {values}"
        yield from lines(step for batch in self.batches for step in self._taken(batch))

    def _taken(self, batch: StepBatch) -> list[TakenStep]:
        kinds = (IDLE, *self.api.kinds)
        rows: list[Row] = [
            (kinds[kind], *numbers)
            for kind, *numbers in self._step.iter_unpack(batch.payload)
        ]
        returned = [fields(output._asdict()) for output in self._outputs(batch.answer)]
        returned = returned or [UNKNOWN] * batch.begun
        return [*map(TakenStep, rows, returned)]

    def _run_batch(self, batch: Sequence[Row]) -> Iterator[Any]:
        payload = b"".join([self._packed(row) for row in batch])
        return iter(self._outputs(self._ask(payload, batch.__getitem__)))

    def _ask(self, payload: bytes, row: Callable[[int], Row]) -> bytes:
        """Have steps taken; ``row`` tells one by its number."""
        batch = StepBatch(payload)
        self.batches.append(batch)
        last = len(payload) // self._step.size

        def doing(begun: int) -> str:
            # A submission can write to what is counted.
            batch.begun = min(max(begun, 1), last)
            return f"in controller_step({self._call(row(batch.begun - 1))})"

        batch.answer = self.program.ask(Kind.STEPS, payload, doing=doing)
        return batch.answer

    def _outputs(self, answer: bytes) -> list[Any]:
        size, known = self._stepped.size, self._known
        records = [answer[at : at + size] for at in range(0, len(answer), size)]
        for record in {*records}.difference(known):
            changed, state, *actuators = self._stepped.unpack(record)
            named: list[Any] = [self._states[state]] if self.api.states else []
            known[record] = self._output(*actuators, changed, *named)
        return [known[record] for record in records]

    def _packed(self, row: Row) -> bytes:
        kind, now_ms, *values = row
        missing = len(self.api.values) - len(values)
        try:
            return self._step.pack(
                self._kinds[str(kind)], int(now_ms) & _UINT32, *values, *(0,) * missing
            )
        except KeyError:
            raise UnknownName("input kind", str(kind), self._kinds) from None
        except struct.error as error:
            raise ConfigError(f"step {row}: {error}") from error

    def _call(self, row: Row) -> str:
        kind, now_ms, *values = row
        named = zip(self.api.values, values, strict=False)
        told = [str(kind), *(f"{name}={value}" for name, value in named)]
        return f"{', '.join(told)}, now_ms={now_ms}"
