"""What a player sees, as numbers."""
