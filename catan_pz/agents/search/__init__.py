"""The player that searches, and what may guide it."""

from catan_pz.agents.search.agent import SearchAgent
from catan_pz.agents.search.evaluator import Evaluator
from catan_pz.agents.search.options import SearchOptions

__all__ = ["Evaluator", "SearchAgent", "SearchOptions"]
