"""Observations of a player, as numbers."""
