"""Hardware-in-the-loop fixtures for pytest: the front door.

Every public name is here, to be imported from here: what tests hold and annotate, the
errors they catch, what an author of engines, builders and plants is given and has to
give. The author of a task finds more in ``pytest_embedbench.grading.checks``, that of
an engine in ``pytest_embedbench.testing``, that of a part in
``pytest_embedbench.wiring``. Importing this package imports nothing else, so that
pytest starts as fast as without it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench import (
        metrics as metrics,
        testing as testing,
    )
    from pytest_embedbench.bench.bench import Bench as Bench
    from pytest_embedbench.bench.closed_loop import (
        ClosedLoop as ClosedLoop,
        Invariants as Invariants,
    )
    from pytest_embedbench.bench.connect_pins import connect_pins as connect_pins
    from pytest_embedbench.bench.connect_uarts import connect_uarts as connect_uarts
    from pytest_embedbench.bench.coupling import (
        Coupling as Coupling,
        Grouping as Grouping,
    )
    from pytest_embedbench.bench.dut import Dut as Dut
    from pytest_embedbench.bench.open_bench import open_bench as open_bench
    from pytest_embedbench.bench.plant_pins import (
        ActsBy as ActsBy,
        PlantPins as PlantPins,
        SensedBy as SensedBy,
    )
    from pytest_embedbench.bench.registry import Registry as Registry
    from pytest_embedbench.bench.rig import Rig as Rig
    from pytest_embedbench.bench.run import (
        Run as Run,
        Seen as Seen,
    )
    from pytest_embedbench.bench.scenario import (
        Injection as Injection,
        PlantEvent as PlantEvent,
        Scenario as Scenario,
        load_scenarios as load_scenarios,
    )
    from pytest_embedbench.bench.uart_session import UartSession as UartSession
    from pytest_embedbench.console import (
        CommandResult as CommandResult,
        Console as Console,
    )
    from pytest_embedbench.contracts import (
        Board as Board,
        BoardUnderTest as BoardUnderTest,
        Builder as Builder,
        ChecksBoards as ChecksBoards,
        CommandEnd as CommandEnd,
        DrivesPins as DrivesPins,
        DrivesPulses as DrivesPulses,
        Engine as Engine,
        ExchangesBytes as ExchangesBytes,
        Figure as Figure,
        HasAnalog as HasAnalog,
        HasConsole as HasConsole,
        HasConsoles as HasConsoles,
        HasNotes as HasNotes,
        HasPins as HasPins,
        HasPosition as HasPosition,
        HasPower as HasPower,
        HasReset as HasReset,
        HasStandIns as HasStandIns,
        HasUnitTests as HasUnitTests,
        HasVirtualTime as HasVirtualTime,
        HeldConsole as HeldConsole,
        Instrument as Instrument,
        IsPluggedIn as IsPluggedIn,
        JoinsPins as JoinsPins,
        KnowsBoardTools as KnowsBoardTools,
        KnowsCapabilities as KnowsCapabilities,
        LendsTools as LendsTools,
        LentTools as LentTools,
        Link as Link,
        Measured as Measured,
        Plant as Plant,
        ReadsPins as ReadsPins,
        RunsAhead as RunsAhead,
        RunsOn as RunsOn,
        RunsPlainPrograms as RunsPlainPrograms,
        RunsTogether as RunsTogether,
        SetsUp as SetsUp,
        SetupReport as SetupReport,
        SharedBoard as SharedBoard,
        SharedEngine as SharedEngine,
        Snapshot as Snapshot,
        SnapshotEngine as SnapshotEngine,
        StateT as StateT,
        Stretch as Stretch,
        SwitchesPower as SwitchesPower,
        TakesSettings as TakesSettings,
        TargetConsole as TargetConsole,
        UnitTestSuite as UnitTestSuite,
        WireByte as WireByte,
        capabilities_of as capabilities_of,
        pin_port as pin_port,
    )
    from pytest_embedbench.datasheet import load_board as load_board
    from pytest_embedbench.errors import (
        BadFrame as BadFrame,
        BenchFault as BenchFault,
        BoardBusy as BoardBusy,
        BoardDisabled as BoardDisabled,
        BoardGivenUp as BoardGivenUp,
        BoardLacks as BoardLacks,
        BoardLost as BoardLost,
        BoardUnreachable as BoardUnreachable,
        BuildError as BuildError,
        CapabilityMissing as CapabilityMissing,
        ConfigError as ConfigError,
        ContractViolation as ContractViolation,
        DoesNotFit as DoesNotFit,
        EmbedbenchError as EmbedbenchError,
        EndpointFault as EndpointFault,
        ExpectTimeout as ExpectTimeout,
        FaultNeverFired as FaultNeverFired,
        FirmwareCrash as FirmwareCrash,
        FirmwareFault as FirmwareFault,
        FirmwareFlood as FirmwareFlood,
        FirmwareReset as FirmwareReset,
        FirmwareSpin as FirmwareSpin,
        FirmwareStuck as FirmwareStuck,
        FlashFailed as FlashFailed,
        ForbiddenOutput as ForbiddenOutput,
        InvariantBroken as InvariantBroken,
        NothingSubmitted as NothingSubmitted,
        NotSupported as NotSupported,
        OutsideEditSurface as OutsideEditSurface,
        PinCheckFailed as PinCheckFailed,
        PinCheckUndecided as PinCheckUndecided,
        PinContention as PinContention,
        RequestRefused as RequestRefused,
        ServiceFault as ServiceFault,
        SubmissionRefused as SubmissionRefused,
        ToolMissing as ToolMissing,
        UnitTestsFailed as UnitTestsFailed,
        UnknownName as UnknownName,
        WrongBoard as WrongBoard,
        WrongOutput as WrongOutput,
    )
    from pytest_embedbench.faults import (
        BitErrors as BitErrors,
        Coalesce as Coalesce,
        Decimate as Decimate,
        Delay as Delay,
        Drift as Drift,
        Drop as Drop,
        DutyLimit as DutyLimit,
        Effect as Effect,
        Fault as Fault,
        FaultPipeline as FaultPipeline,
        Fragment as Fragment,
        InjectionPoint as InjectionPoint,
        Message as Message,
        Noise as Noise,
        Reset as Reset,
        Saturate as Saturate,
        SeededRandom as SeededRandom,
        StuckAt as StuckAt,
        Tick as Tick,
    )
    from pytest_embedbench.model import (
        NO_IMAGE as NO_IMAGE,
        Absence as Absence,
        Blame as Blame,
        BoardSpec as BoardSpec,
        BuilderSettings as BuilderSettings,
        Capability as Capability,
        Chunk as Chunk,
        Direction as Direction,
        FirmwareImage as FirmwareImage,
        FirmwareSource as FirmwareSource,
        Isolation as Isolation,
        Level as Level,
        Line as Line,
        PinEvent as PinEvent,
        PinSpec as PinSpec,
        PinTrace as PinTrace,
        PwmEvent as PwmEvent,
        Reply as Reply,
        Sample as Sample,
        Stimulus as Stimulus,
        StimulusKind as StimulusKind,
        UartSpec as UartSpec,
    )
    from pytest_embedbench.plugin.options import (
        Setting as Setting,
        add_settings as add_settings,
        path_setting as path_setting,
        setting as setting,
        settings as settings,
    )
    from pytest_embedbench.support.commands import Subcommands as Subcommands
    from pytest_embedbench.support.options import (
        option as option,
        read_options as read_options,
    )
    from pytest_embedbench.wire.patterns import (
        Exactly as Exactly,
        Match as Match,
        Patterns as Patterns,
        exact as exact,
    )
    from pytest_embedbench.wire.transcript import Transcript as Transcript

_HOMES = {
    "pytest_embedbench": "metrics testing",
    "pytest_embedbench.bench.bench": "Bench",
    "pytest_embedbench.bench.closed_loop": "ClosedLoop Invariants",
    "pytest_embedbench.bench.coupling": "Coupling Grouping",
    "pytest_embedbench.bench.dut": "Dut",
    "pytest_embedbench.bench.connect_pins": "connect_pins",
    "pytest_embedbench.bench.connect_uarts": "connect_uarts",
    "pytest_embedbench.bench.open_bench": "open_bench",
    "pytest_embedbench.bench.plant_pins": "ActsBy PlantPins SensedBy",
    "pytest_embedbench.bench.registry": "Registry",
    "pytest_embedbench.bench.rig": "Rig",
    "pytest_embedbench.bench.run": "Run Seen",
    "pytest_embedbench.bench.scenario": "Injection PlantEvent Scenario load_scenarios",
    "pytest_embedbench.bench.uart_session": "UartSession",
    "pytest_embedbench.console": "CommandResult Console",
    "pytest_embedbench.contracts": (
        "Board BoardUnderTest Builder ChecksBoards CommandEnd DrivesPins DrivesPulses "
        "Engine ExchangesBytes Figure HasAnalog HasConsole HasConsoles HasNotes "
        "HasPins HasPosition HasPower HasReset HasStandIns HasUnitTests HasVirtualTime "
        "HeldConsole Instrument IsPluggedIn JoinsPins KnowsBoardTools "
        "KnowsCapabilities LendsTools LentTools Link Measured Plant ReadsPins "
        "RunsAhead RunsOn RunsPlainPrograms RunsTogether SetsUp SetupReport "
        "SharedBoard SharedEngine Snapshot SnapshotEngine StateT Stretch SwitchesPower "
        "TakesSettings TargetConsole UnitTestSuite WireByte capabilities_of pin_port"
    ),
    "pytest_embedbench.datasheet": "load_board",
    "pytest_embedbench.errors": (
        "BadFrame BenchFault BoardBusy BoardDisabled BoardGivenUp BoardLacks BoardLost "
        "BoardUnreachable BuildError CapabilityMissing "
        "ConfigError ContractViolation DoesNotFit EmbedbenchError "
        "EndpointFault ExpectTimeout "
        "FaultNeverFired FirmwareCrash FirmwareFault FirmwareFlood FirmwareReset "
        "FirmwareSpin FirmwareStuck FlashFailed ForbiddenOutput InvariantBroken "
        "NotSupported NothingSubmitted OutsideEditSurface PinCheckFailed "
        "PinCheckUndecided PinContention RequestRefused ServiceFault "
        "SubmissionRefused ToolMissing UnitTestsFailed UnknownName WrongBoard "
        "WrongOutput"
    ),
    "pytest_embedbench.faults": (
        "BitErrors Coalesce Decimate Delay Drift Drop DutyLimit Effect Fault "
        "FaultPipeline Fragment InjectionPoint Message Noise Reset Saturate "
        "SeededRandom StuckAt Tick"
    ),
    "pytest_embedbench.model": (
        "Absence Blame BoardSpec BuilderSettings Capability Chunk Direction "
        "FirmwareImage FirmwareSource Isolation Level Line NO_IMAGE PinEvent PinSpec "
        "PinTrace PwmEvent Reply Sample Stimulus StimulusKind UartSpec"
    ),
    "pytest_embedbench.plugin.options": (
        "Setting add_settings path_setting setting settings"
    ),
    "pytest_embedbench.support.commands": "Subcommands",
    "pytest_embedbench.support.options": "option read_options",
    "pytest_embedbench.wire.patterns": "Exactly Match Patterns exact",
    "pytest_embedbench.wire.transcript": "Transcript",
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
