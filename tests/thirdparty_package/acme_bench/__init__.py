"""Boards whose firmware is a list of rules: what a package beside the bench can be."""
