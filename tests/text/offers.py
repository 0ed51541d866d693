"""Offers that a text allows."""

import re


def composed(text: str) -> tuple[str, str] | None:
    """A card to give and another one to ask for, where an offer may be begun."""
    sides = (re.search(f"^add to what you {side}: (.*)$", text, re.MULTILINE) for side in _SIDES)
    given, asked = ([] if found is None else _NAME.findall(found[1]) for found in sides)
    pairs = [(give, get) for give in given for get in asked if give != get]
    return pairs[0] if pairs and "withdraw the offer" not in text else None


_SIDES = ("give", "ask for")
_NAME = re.compile(r"\[\d+\] (\w+)")
