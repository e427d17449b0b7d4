"""The target stage: a submission's functions, stepped on the board's own CPU."""
