"""Evaluator strength: single-fault variants of a reference, and what lets them pass."""
