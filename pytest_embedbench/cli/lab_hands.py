"""A hand on one board of the lab: hold it, talk to it, switch it, flash it."""

from __future__ import annotations

import logging
import re
import sys
from argparse import ArgumentTypeError
from contextlib import closing, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.cli.lab_file import add_lab_option, board_named, lab_file
from pytest_embedbench.cli.terminal import talk_over_port, talk_over_ssh
from pytest_embedbench.clock import host_stamp
from pytest_embedbench.engines.linux.options import linux_options
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing import flash
from pytest_embedbench.lab.inventory import by_hand
from pytest_embedbench.lab.inventory.controls import (
    controls_by_command,
    controls_for,
)
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.ports.opening import open_port
from pytest_embedbench.support.projects import plain_source, prebuilt_source
from pytest_embedbench.support.uart_speeds import FASTEST_BPS, SLOWEST_BPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pytest_embedbench.lab.inventory.controls import BoardControls
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.support.commands import Subcommands

_SPAN = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SSH = "ssh://"
_LINUX = "linux"


def add_hands(actions: Subcommands) -> None:
    """Add what is done to one board: ``hold``, ``release``, ``console``, ..."""
    hold = _command(actions, "hold", "keep a board for yourself", _hold)
    hold.add_argument("--why", required=True, help="what the others are told")
    hold.add_argument(
        "--for",
        dest="span",
        metavar="2h",
        help="give it back by itself then: 90s, 30m, 2h or 3d (default: never)",
    )
    _command(actions, "release", "give back a board that is held by hand", _release)
    console = _command(actions, "console", "talk to a board; Ctrl-] leaves", _console)
    console.add_argument("--baud", type=int, help="another speed")
    _command(actions, "reset", "press a board's reset", _reset)
    power = _command(actions, "power", "switch a board's power", _power, named=False)
    power.add_argument("action", choices=("on", "off", "cycle"))
    power.add_argument("board", metavar="NAME")
    flash = _command(actions, "flash", "flash a board, and let it run", _flash)
    flash.add_argument(
        "firmware",
        nargs="?",
        default=".",
        help="an image, or a PlatformIO project to build (default: this folder)",
    )


def _command(
    actions: Subcommands,
    name: str,
    text: str,
    run: Callable[[argparse.Namespace], None],
    *,
    named: bool = True,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text)
    if named:
        parser.add_argument("board", metavar="NAME")
    parser.add_argument(
        "--wait",
        type=_seconds,
        metavar="SECONDS",
        help="how long to wait while others have the board (default: the lab's wait_s)",
    )
    add_lab_option(parser)

    def run_it(arguments: argparse.Namespace) -> int:
        # Who waits wants to know for whom.
        logging.basicConfig(format="embedbench: %(message)s", stream=sys.stderr)
        logging.getLogger("pytest_embedbench").setLevel(logging.INFO)
        run(arguments)
        return 0

    parser.set_defaults(run=run_it)
    return parser


def _hold(arguments: argparse.Namespace) -> None:
    why = " ".join(arguments.why.split())
    if not why:
        raise ConfigError("--why: is empty; say what the others are to be told")
    hold = records.HeldByHand(
        who=records.this_person(),
        why=why,
        since=host_stamp(),
        until=_end_of(arguments.span),
    )
    with _taken(arguments, absent=True) as lease:
        lease.set_hold(hold)
    _say(f"{lease.board} {hold}")


def _release(arguments: argparse.Namespace) -> None:
    with _taken(arguments, heeds=lambda _: False, absent=True) as lease:
        hold = lease.hold
        lease.set_hold(None)
    told = "was not held by hand"
    if hold is not None:
        told = f"is free; it was {str(hold).removeprefix('is ')}"
    _say(f"{lease.board} {told}")


def _console(arguments: argparse.Namespace) -> None:
    spec = _spec(arguments)
    baud = arguments.baud
    if baud is not None and not SLOWEST_BPS <= baud <= FASTEST_BPS:
        raise ConfigError(f"--baud={baud}: must be from {SLOWEST_BPS} to {FASTEST_BPS}")
    with _taken(arguments) as lease:
        address = lease.found.address
        if spec.engine != _LINUX:
            port = by_hand.open_board(spec, lease, baud_bps=baud or 0)
        elif address.startswith(_SSH):
            options = linux_options(spec)
            user = options.login_user
            talk_over_ssh(address, user=user, config=options.login_ssh_config)
            return
        else:
            config = linux_options(spec).config(address)
            baud_bps = baud or config.baud_bps
            port = open_port(address, baud_bps=baud_bps, lines=config.lines)
        with closing(port):
            talk_over_port(port, str(lease.found))


def _reset(arguments: argparse.Namespace) -> None:
    spec = _spec(arguments)
    controls = _controls(spec)
    by_command = not controls.resets_by_port
    with _taken(arguments, absent=by_command) as lease:
        by_hand.press_reset(spec, controls, lease)
    _say(f"{spec.name} was reset")


def _power(arguments: argparse.Namespace) -> None:
    spec = _spec(arguments)
    controls = _controls(spec)
    with _taken(arguments, absent=True) as lease:
        by_hand.switch_power(spec, controls, lease, arguments.action)
    _say(f"{spec.name}: power {arguments.action}")


def _flash(arguments: argparse.Namespace) -> None:
    spec = _on_a_port(arguments)
    settings = by_hand.insist_on_flashing(spec)
    rig = Rig(registry=Registry(lab=lab_file(arguments)))
    path = Path(arguments.firmware)
    source = plain_source(path, path) if path.is_dir() else prebuilt_source(path)
    image = rig.image(rig.for_board(source, spec))
    with _taken(arguments) as lease:
        report = flash(spec, image, lease.found.address, settings=settings)
    _say(str(report))


def _taken(
    arguments: argparse.Namespace,
    *,
    heeds: Callable[[records.HeldByHand], bool] | None = None,
    absent: bool = False,
) -> AbstractContextManager[Lease]:
    """Take the board; what oneself holds by hand is one's own to use.

    With ``absent`` it need not be there.
    """
    lab = load_lab(lab_file(arguments))
    board = board_named(lab, arguments.board)
    me = records.this_person()
    leases = Leases(heeds=heeds or (lambda hold: hold.who != me), takes_absent=absent)
    wait_s = lab.wait_s if arguments.wait is None else arguments.wait
    return by_hand.taken(board, leases, wait_s=wait_s)


def _spec(arguments: argparse.Namespace) -> BoardSpec:
    file = lab_file(arguments)
    board_named(load_lab(file), arguments.board)
    return Registry(lab=file).board(arguments.board)


def _controls(spec: BoardSpec) -> BoardControls:
    """Return the buttons of a board, those of a Linux target by command only."""
    if spec.engine == _LINUX:
        return controls_by_command(spec, linux_options(spec))
    return controls_for(spec)


def _on_a_port(arguments: argparse.Namespace) -> BoardSpec:
    """Return a board that is flashed over a port."""
    spec = _spec(arguments)
    if spec.engine == _LINUX:
        raise ConfigError(
            f"{spec.name} is a Linux target, which nobody flashes: a test has its "
            "program copied to it; or copy it yourself, over 'embedbench lab console "
            f"{spec.name}'"
        )
    return spec


def _end_of(span: str | None) -> str:
    """Return the stamp at which a span like ``2h`` from now ends; ``""`` for none."""
    if span is None:
        return ""
    found = _SPAN.fullmatch(span)
    if found is None:
        raise ConfigError(
            f"--for={span}: give a number up to 999999 and a unit: 90s, 30m, 2h, 3d"
        )
    return host_stamp(in_s=int(found[1]) * _SECONDS[found[2]])


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (value := float(text)) < inf:
            return value
    raise ArgumentTypeError(f"must be 0 or more seconds, is {text!r}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
