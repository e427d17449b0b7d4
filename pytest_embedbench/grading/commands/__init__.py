"""The commands of grading: each is loaded when it is called."""
