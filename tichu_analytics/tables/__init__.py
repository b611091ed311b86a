"""Tables of recorded games: what columns there are, how they are filled, written as Parquet, and asked."""
