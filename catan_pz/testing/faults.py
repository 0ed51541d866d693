"""What a check complains of, in words."""

from catan_pz.actions import describe_action
from catan_pz.rules import Rules


class AgentError(AssertionError):
    """An agent does what an agent must not; the message says what, and where."""


def worded(action: int, rules: Rules) -> str:
    """An action with its meaning."""
    if not 0 <= action < rules.num_actions:
        return f"{action} (not in the action space of {rules.num_actions})"
    meaning = dict(describe_action(action))
    kind = meaning.pop("kind")
    return f"{action} ({' '.join([str(kind), *(f'{k}={v}' for k, v in meaning.items())])})"
