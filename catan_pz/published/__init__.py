"""Reproductions of published Catan learners: encoders, choices, networks, agents, models."""
