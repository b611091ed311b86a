"""Ways of getting through many games quickly that give the same answers as the careful replay."""
