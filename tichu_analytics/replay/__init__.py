"""Works out what is true about a recorded game, and how it differs from what the log says."""
