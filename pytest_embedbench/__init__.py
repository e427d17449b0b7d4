"""Hardware-in-the-loop fixtures for pytest."""
