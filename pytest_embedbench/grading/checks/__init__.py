"""What the checks of hidden suites are made of: the task author's toolkit."""
