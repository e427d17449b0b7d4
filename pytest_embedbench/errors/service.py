"""What a service has done wrong that runs boards for us, somewhere else."""

from __future__ import annotations

from pytest_embedbench.errors.base import BoardLost


class ServiceFault(BoardLost):
    """A service that runs boards elsewhere refuses, is silent, or breaks off."""


class BadFrame(ServiceFault):
    """It said what its protocol has no place for; the message quotes what came."""
