"""AVR boards on libsimavr, in virtual time, in a process of their own.

simavr is GPL-3 and may ``abort()``: it is loaded by the child alone (``core``), which
we talk to over a socket.
"""

from pytest_embedbench.engines.simavr.board import SimavrBoard
from pytest_embedbench.engines.simavr.engine import Simavr

__all__ = ["Simavr", "SimavrBoard"]
