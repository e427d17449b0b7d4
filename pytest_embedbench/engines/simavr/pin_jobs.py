"""What a firmware did with pins, by the names of its board's datasheet."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import PinJob, PinUse

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.pin_log import Used
    from pytest_embedbench.model import BoardSpec, PinTrace


def pin_use(spec: BoardSpec, used: Used | None, trace: PinTrace) -> PinUse:
    """Return what has been seen.

    Args:
        spec: The datasheet.
        used: What the child has told: jobs by port pin, ADC channels, ports that are
            read as a whole; ``None`` if nobody watches.
        trace: What the pins did.

    Raises:
        ConfigError: nobody watches.
    """
    if used is None:
        raise ConfigError(
            f"{spec.name}: its pins are not watched: call watch_pins() before time "
            "goes on"
        )
    by_port, channels, whole = used
    names = {pin.port: pin.name for pin in spec.pins.values()}
    jobs: defaultdict[str, set[PinJob]] = defaultdict(set)
    for port, job in by_port:
        if port in names:
            jobs[names[port]].add(PinJob(job))
    for pin in spec.pins.values():
        if pin.adc in channels:
            jobs[pin.name].add(PinJob.ANALOG)
    for event in trace.pwm:
        jobs[event.pin].add(PinJob.PWM)
    edges = Counter(event.pin for event in trace.events)
    return PinUse(
        jobs={name: frozenset(jobs[name]) for name in spec.pins if name in jobs},
        edges={name: edges[name] for name, does in jobs.items() if _drives(does)},
        unseen=tuple(
            f"port {letter} is read as a whole byte: which of its pins are inputs "
            "cannot be told"
            for letter in whole
        ),
    )


def _drives(jobs: set[PinJob]) -> bool:
    return PinJob.OUTPUT in jobs
