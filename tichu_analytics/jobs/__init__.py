"""Spreading work over processes."""
