"""Statistics of recorded games, and exact odds of the deal."""
