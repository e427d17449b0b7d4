"""The files by which a folder is known as a firmware project."""

PROJECT_FILE = "platformio.ini"
PROGRAM_FILE = "main.py"
PYTHON = "python"
"""The environment of Python programs, for boards that run those."""
