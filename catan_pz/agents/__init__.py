"""Players: what they are asked, hosts for them, and some to play against."""

from catan_pz.agents.registry import load, names, register

__all__ = ["load", "names", "register"]
