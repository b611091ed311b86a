"""The parts of the page of a game: templates, style and script."""
