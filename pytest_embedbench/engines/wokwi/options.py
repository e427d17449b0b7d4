"""What a board's options can say to this engine."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.support.options import option

AUTO, LOCAL, CLOUD = "auto", "local", "cloud"


@dataclass(frozen=True, slots=True, kw_only=True)
class WokwiOptions:
    """The options of engine ``wokwi``."""

    parts: tuple[str, ...] = option(
        (),
        "the types that this board has in diagrams; the first one is what runs without "
        "a diagram",
    )
    serial: tuple[str, ...] = option(
        (),
        "its pins that send and receive, to be wired to the serial monitor where there "
        "is no diagram",
        default_text="none: its USB is",
    )
    local: str = option(
        "",
        "the board that does the same on this machine",
        default_text="there is none",
    )
    backend: str = option(
        AUTO,
        "`cloud`: at a server that speaks Wokwi's protocol; `local`: on this machine; "
        "`auto`: there if a server is named, else here if the board and all parts of "
        "the diagram can run here, else in Wokwi's cloud",
        choices=(AUTO, LOCAL, CLOUD),
    )
    server: str = option(
        "",
        "the server, as `ws://` or `wss://`",
        default_text="`WOKWI_CLI_SERVER`, else `wss://wokwi.com/api/ws/beta`",
    )
    diagram: str = option(
        "",
        "a `diagram.json` with the circuit that the board stands in, from the folder "
        "where pytest was started; fixture `circuit` finds it by itself",
        default_text="the bare board",
    )
    listen: str = option(
        "",
        "pins whose changes `pin_trace()` has, with spaces between: `uno:13 led1:A`; "
        "without a diagram the board is `mcu`",
        default_text="none",
    )
    answer_s: float = option(
        30.0,
        "how long the server may take to connect, and for each answer, in seconds",
        lowest=0.05,
    )
    run_s_per_s: float = option(
        60.0,
        "how much longer it may take for each simulated second",
        lowest=0.0,
    )
