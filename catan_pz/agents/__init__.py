"""Players: what they are asked, hosts for them, and some to play against."""

from catan_pz.agents.base import Agent, BatchAgent
from catan_pz.agents.registry import load, names, register

__all__ = ["Agent", "BatchAgent", "load", "names", "register"]
