"""Pictures of what happened; imported only when one is wanted."""
