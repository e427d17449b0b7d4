"""Runs while they go on, as a page for a browser on this machine."""
