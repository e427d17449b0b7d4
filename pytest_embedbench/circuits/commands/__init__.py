"""The commands of circuits."""
