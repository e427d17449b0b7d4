"""What ESR's options say and default to; loaded whenever pytest starts, so no more."""

from __future__ import annotations

STRICT, PERMISSIVE = "strict", "permissive"
"""As it is wired, and once pin constants are corrected."""
TRIALS = 40
"""How often a search may run its check."""
FOLDER = "esr"
"""In a run's folder: what belongs to cases, rather than to items of pytest."""
