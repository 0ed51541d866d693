"""The published Catan learners, reproduced: encoders, choices, networks, agents, models."""
