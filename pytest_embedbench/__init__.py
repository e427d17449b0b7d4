"""Hardware-in-the-loop fixtures for pytest.

What a test meets comes in through fixtures; what an author of engines, plants and
builders needs is in ``contracts``, ``model``, ``errors`` and ``testing``. Importing
this package imports nothing else, so that pytest starts as fast as without it.
"""
