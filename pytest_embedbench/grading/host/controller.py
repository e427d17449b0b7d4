"""What a host check holds: a controller to step, and the parser of its lines."""

from __future__ import annotations

import struct
from collections import deque, namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, UnknownName, WrongOutput
from pytest_embedbench.grading.host.program import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.task import ControllerApi

Row = Sequence[str | int]
"""Input kind, time in ms, then the values in the task's order, 0 by default."""
IDLE = "NONE"
"""The kind of a step without a line, and of a line that is ignored."""
IGNORED = "IGNORED"
"""What the parser says of a line that is ignored."""
_BATCH_STEPS = 4096
_SHOWN_STEPS = 30
_UINT32 = 0xFFFF_FFFF
_SERIALISE = struct.Struct("=iiI")
_FITS = struct.Struct("=i")
# The fields are the task's: no type checker can know them.
_record: Callable[..., Any] = namedtuple  # noqa: PYI024  # see above


@dataclass(slots=True, repr=False)
class Controller:
    """A controller in a process of its own, after ``controller_init``.

    What a step returns has the task's actuators as booleans (``pump_on``), ``changed``
    (of idle steps only, like the shell), and ``state`` by name, ``None`` for a value
    that is none, if the task has states.
    """

    program: HostProgram
    api: ControllerApi
    _kinds: dict[str, int] = field(init=False)
    _states: tuple[str | None, ...] = field(init=False)
    _step: struct.Struct = field(init=False)
    _stepped: struct.Struct = field(init=False)
    _output: Callable[..., Any] = field(init=False)
    _shown: deque[tuple[Row, Any]] = field(init=False)

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
        self._shown = deque(maxlen=_SHOWN_STEPS)

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
        """
        outputs: list[Any] = []
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH_STEPS)):
            outputs.extend(self._run_batch(batch))
        return outputs

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

    def init(self) -> None:
        """Call ``controller_init`` on the controller as it is."""
        self.program.ask(Kind.INIT, doing=lambda _: "in controller_init")
        self._shown.clear()

    def restart(self) -> None:
        """Begin again as at power-on, with nothing left of what was."""
        self.program.open()
        self.init()

    def history(self) -> str:
        """Return the last steps since ``controller_init``, one a line."""
        return "\n".join(
            f"{self._call(row)} -> {fields(output._asdict())}"
            for row, output in self._shown
        )

    def _run_batch(self, batch: Sequence[Row]) -> Iterator[Any]:
        payload = b"".join([self._packed(row) for row in batch])
        answer = self.program.ask(
            Kind.STEPS,
            payload,
            doing=lambda begun: f"in controller_step({self._call(batch[begun - 1])})",
        )
        output, states = self._output, self._states
        extra = bool(self.api.states)
        outputs = [
            output(*actuators, changed, states[state])
            if extra
            else output(*actuators, changed)
            for changed, state, *actuators in self._stepped.iter_unpack(answer)
        ]
        shown = slice(-_SHOWN_STEPS, None)
        self._shown.extend(zip(batch[shown], outputs[shown], strict=True))
        return iter(outputs)

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


@dataclass(slots=True)
class LineProtocol:
    """The line parser and the serialisers that the firmware is built with."""

    program: HostProgram
    api: ControllerApi
    _parsed: struct.Struct = field(init=False)
    _record: Callable[..., Any] = field(init=False)

    def __repr__(self) -> str:
        return "protocol"

    def __post_init__(self) -> None:
        self._parsed = struct.Struct(f"=ii{len(self.api.values)}i")
        self._record = _record("Parsed", ("result", "kind", *self.api.values))

    def parse(self, line: str) -> Any:  # noqa: ANN401  # fields as the task has them
        """Call ``protocol_parse_line``; ``result`` and ``kind`` come by name."""
        answer = self.program.ask(
            Kind.PARSE,
            line.encode(),
            doing=lambda _: f"in protocol_parse_line({line!r})",
        )
        result, kind, *values = self._parsed.unpack(answer)
        results = (IGNORED, *self.api.kinds, None)  # None at -1, too
        kinds = (IDLE, *self.api.kinds, None)
        return self._record(results[result], kinds[kind], *values)

    def serialise(
        self, actuator: str, *, on: bool, size_bytes: int = 128
    ) -> str | None:
        """Call ``protocol_serialize_act_<actuator>``; ``None`` if it does not fit."""
        if actuator not in self.api.serialisers:
            raise UnknownName("actuator", actuator, self.api.serialisers)
        number = self.api.serialisers.index(actuator)
        answer = self.program.ask(
            Kind.SERIALISE,
            _SERIALISE.pack(number, on, size_bytes),
            doing=lambda _: f"in protocol_serialize_act_{actuator}",
        )
        (fits,) = _FITS.unpack_from(answer)
        return answer[_FITS.size :].decode("utf-8", "replace") if fits else None


def fields(values: Mapping[str, object]) -> str:
    """Return named values for a message."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
