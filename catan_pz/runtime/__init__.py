"""Playing games: one at a time, or many at once."""
