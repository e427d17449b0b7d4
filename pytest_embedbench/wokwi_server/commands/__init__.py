"""Commands of ``embedbench``."""
