"""Rocco's hierarchical player: an orchestrator picks a kind of action, an executor its argument."""
