"""What runs in the child process, next to libsimavr.

Imports nothing but a few light modules of the standard library: it is started for
every board that a test boots.
"""
