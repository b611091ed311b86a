"""What a player sees at each line of a legal log, worked out a second time from its text alone."""
