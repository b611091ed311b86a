"""Log formats, and where logs come from."""
