"""Ports of boards: find them, open them, keep their bytes moving."""
