"""SCons script in place of ESP-IDF's: adds nothing."""
