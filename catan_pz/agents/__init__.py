"""Agents: their interface, their hosts, and some opponents."""

from catan_pz.agents.base import Agent, BatchAgent
from catan_pz.agents.registry import load, names, register

__all__ = ["Agent", "BatchAgent", "load", "names", "register"]
