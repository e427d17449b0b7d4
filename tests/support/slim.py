"""Plugins that no suite here takes, and that double what a pytest takes to start."""

WITHOUT = [f"-pno:{name}" for name in ("hypothesispytest", "benchmark", "anyio")]
