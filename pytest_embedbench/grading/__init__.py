"""What turns tests into an evaluation: briefs, edit surfaces, host checks, verdicts."""
