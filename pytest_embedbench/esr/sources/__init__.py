"""The pin constants of a firmware: where they stand, and other values for them."""
