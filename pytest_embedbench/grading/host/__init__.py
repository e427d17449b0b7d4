"""The host stage: a submission's controller, stepped function call by function call."""
