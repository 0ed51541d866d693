"""The game as text for one seat: its view, its legal actions, and its answers."""

from catan_pz.text.choices import Choice, choices_of, choices_text, legal_actions
from catan_pz.text.commands import CommandError, parse
from catan_pz.text.describe import as_json, describe, news_of

__all__ = [
    "Choice",
    "CommandError",
    "as_json",
    "choices_of",
    "choices_text",
    "describe",
    "legal_actions",
    "news_of",
    "parse",
]
