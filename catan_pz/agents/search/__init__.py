"""The search agent, and the interface of evaluators that may guide it."""

from catan_pz.agents.search.agent import SearchAgent, SearchOptions
from catan_pz.agents.search.parallel_trees import Evaluator

__all__ = ["Evaluator", "SearchAgent", "SearchOptions"]
