"""Engines turn images into running boards; none knows another."""
