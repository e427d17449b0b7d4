"""What goes wrong with a model's endpoint."""

from __future__ import annotations

from pytest_embedbench.errors.base import BenchFault


class EndpointFault(BenchFault):
    """A model's endpoint refuses or fails, or a judge there gives no score."""


class RequestRefused(EndpointFault):
    """The endpoint takes no such request; another one it may take."""
