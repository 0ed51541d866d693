"""States, actions and whole games as JSON and text, and back."""

from catan_pz.notation.actions import action_id, describe_action
from catan_pz.notation.state import state_from_dict, state_to_dict

__all__ = ["action_id", "describe_action", "state_from_dict", "state_to_dict"]
