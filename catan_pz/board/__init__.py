"""The board: what touches what, and where boards come from."""
