"""The ``embedbench`` command.

Exit codes: 0 all is well; 1 something is missing or broken, and the output says
what; 2 the command line makes no sense.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from pytest_embedbench.cli import generate, inventory, lab, setup
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.commands import mutate, new_task
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.commands import mutate, new_task

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; errors of ours become one line, never a traceback."""
    parser = argparse.ArgumentParser(
        prog="embedbench", description="Set up and inspect hardware-in-the-loop benches"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        setup.add_setup,
        inventory.add_doctor,
        inventory.add_boards,
        inventory.add_plants,
        lab.add_lab,
        mutate.add_mutate,
        new_task.add_new_task,
        generate.add_generate,
    ):
        add(commands)
    arguments = parser.parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except EmbedbenchError as error:
        sys.stderr.write(f"embedbench: {error}\n")
        return 1
    except BrokenPipeError:  # whoever reads us has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
