"""Plants: process models in integer arithmetic, one per module."""
