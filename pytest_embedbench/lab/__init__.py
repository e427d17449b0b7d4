"""The boards of a lab: which there are, where they are, whose turn it is."""
