"""What there is in an archive: games and rounds counted by how they went and by what was found in them."""
