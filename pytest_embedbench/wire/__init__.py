"""Pure: feed it, read it, never wait on it."""
