"""Checks for users' own agents and encoders."""

from catan_pz.testing.agents import AgentError, check_agent, check_batch_agent
from catan_pz.testing.encoders import EncoderError, check_encoder

__all__ = ["AgentError", "EncoderError", "check_agent", "check_batch_agent", "check_encoder"]
