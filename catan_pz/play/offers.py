"""Offers that a person lays out: the actions that make one, and what a trade would be in words."""

from typing import Final

from catan_pz import actions as table
from catan_pz.actions import action_id, bundle_to_dict
from catan_pz.game.game import Game
from catan_pz.render.log import bundle_words
from catan_pz.render.view import Bundle, TableView

MOST_LAID_OUT: Final = 4
"""Cards a side: no offer, and no trade with the bank, takes more."""


def offer_actions(game: Game, give: Bundle, get: Bundle) -> tuple[int, ...]:
    """Actions that make an offer or a counter-offer, as one or card by card; () if none do."""
    # A side may come from what a person types, with any count: nothing is built card by card
    # before its size is known.
    if not all(0 < sum(side) <= MOST_LAID_OUT for side in (give, get)):
        return ()
    try:
        whole = action_id("offer", give=bundle_to_dict(give), get=bundle_to_dict(get))
    except ValueError:  # no template
        whole = len(game.mask)
    if whole < len(game.mask) and game.mask[whole]:
        return (whole,)
    steps = [
        first + r
        for first, side in ((table.COMPOSE_GIVE, give), (table.COMPOSE_GET, get))
        for r, count in enumerate(side)
        for _ in range(count)
    ]
    # Composing has no chance in it, and its masks rest on what its maker knows.
    trial = game.copy()
    for action in (*steps, table.COMPOSE_SEND):
        if action >= len(trial.mask) or not trial.mask[action]:
            return ()
        trial.step_once(action)
    return (*steps, table.COMPOSE_SEND)


def terms_words(view: TableView, other: int) -> str:
    """What a trade with another seat would be for who is to move: "you give 1 ore, get 1 brick"."""
    offer = view.offer
    if offer is None:
        return ""
    counter = next((a for a in offer.answers if a.seat == other and a.give), None)
    give, get = (offer.give, offer.get) if counter is None else (counter.give, counter.get)
    # What a counter-offer gives, its maker gives, as with the offer.
    if counter is not None or offer.seat != view.player_to_move:
        give, get = get, give
    given, got = (bundle_words(bundle_to_dict(side)) for side in (give, get))
    return f"you give {given}, get {got}"
