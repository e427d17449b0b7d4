"""The command of the live view."""
