"""What is wired round a board: diagrams, the nets in them, and what is wrong there.

Pure: no simulator, no clock, no files. Which types of parts there are comes in as an
argument; the table of them is ``pytest_embedbench.parts``.
"""
