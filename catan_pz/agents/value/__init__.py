"""The player that asks a learned value of positions where the evolved player may be wrong."""
