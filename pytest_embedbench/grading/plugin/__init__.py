"""The pytest plugin of grading: its hooks and fixtures by name, nothing else."""
