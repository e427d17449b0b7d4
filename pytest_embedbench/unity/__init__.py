"""PlatformIO's own unit tests, of Unity or doctest, as tests of pytest's on any board.

A product: it stands on the bench, and nothing else of this package knows it.
"""
