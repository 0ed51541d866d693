"""The agent "value": the evolved player, corrected by a learned value of positions."""
