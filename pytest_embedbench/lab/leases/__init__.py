"""Whose turn it is: locks, who waits, and places that labgrid lends."""
