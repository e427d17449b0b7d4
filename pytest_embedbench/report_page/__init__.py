"""Runs as one page for a browser: read from their folders, drawn without a network."""
