"""Boards: one TOML datasheet each."""
