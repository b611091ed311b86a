"""All measures counted once more in pandas and numpy, from the tables alone and by another way than their SQL."""
