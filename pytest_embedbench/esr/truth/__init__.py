"""Mutants of sketches whose verdicts are known before anything is searched.

Which constant is which signal is written down beside each sketch, in ``pins.toml``, and
what a mutant has to come to is decided by running its check. Nothing here looks at a
sketch as the search does, so that both cannot err alike.
"""
