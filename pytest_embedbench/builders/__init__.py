"""Builders turn projects into images; met by name only."""
