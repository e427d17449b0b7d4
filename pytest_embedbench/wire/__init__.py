"""Bytes, lines and patterns: feed it, read it, never wait on it."""
