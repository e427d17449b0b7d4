"""The commands of ESR."""
