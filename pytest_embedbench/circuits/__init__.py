"""Circuits round a board, for people: what is wrong with a drawn one, and a picture.

A product: it stands on the bench, and nothing else of this package knows it. Diagrams,
nets and part types themselves are core, in ``wiring`` and ``parts``.
"""
