"""The board: its topology, and generators of boards."""
