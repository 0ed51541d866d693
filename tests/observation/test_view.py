"""The canonical view: every number of it, by an independent program and by hand."""

import numpy as np
import pytest

from catan_pz import Game, encoders
from catan_pz.actions import action_id
from catan_pz.game.position import position
from catan_pz.observation.segments import PLACES, SEGMENTS, SIZE, named_views
from catan_pz.rules import Rules
from tests.helpers import CARD, plus
from tests.observation.reference_view import view

pytestmark = pytest.mark.purepython

RULE_SETS = {
    "four": {"offer_form": "both"},
    "three": {"num_players": 3, "dice": "balanced", "offer_form": "composed", "max_turns": 40},
    "two": {"num_players": 2, "friendly_robber": True, "max_turns": None, "victory_points": 6},
    "without_trade": {"trading": False, "skip_forced": True, "board": "spiral"},
    "no_counter_offers": {"num_players": 3, "counter_offers": False, "max_offers_per_turn": 1},
}


def seen(game, viewer):
    return named_views(game.observe(viewer))


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_number_is_what_the_state_says(name):
    game = Game(seed=len(name), **RULE_SETS[name])
    rng = np.random.default_rng(len(name))
    for decision in range(450):
        if decision % 3 == 0 or game.phase.name in ("COMPOSE", "ANSWER", "CLOSE", "DISCARD"):
            state = game.snapshot()
            for viewer in range(game.rules.num_players):
                expected = view(state, viewer)
                found = seen(game, viewer)
                assert list(found) == [segment.name for segment in SEGMENTS]
                for segment, array in found.items():
                    assert array.tolist() == np.array(expected[segment]).tolist(), segment
        legal = game.legal_actions()
        if len(legal) == 0:
            break
        # Roads and offers would be most of what random players do.
        kind = rng.integers(2)
        few = legal[(legal < 2) | (legal > 73)] if kind and (legal > 73).any() else legal
        game.step(int(rng.choice(few)))


def test_turns_saturate():
    rules = Rules(num_players=2, max_turns=1000)
    for turn, ended, left in ((0, 0, 127), (126, 126, 127), (300, 127, 127), (990, 127, 10)):
        game = position([{}, {}], rules=rules, turn=turn)
        assert seen(game, 0)["turns_ended"] == ended
        assert seen(game, 1)["turns_left"] == left
    endless = position([{}, {}], rules=Rules(num_players=2, max_turns=None), turn=5000)
    assert seen(endless, 0)["turns_left"] == 127


def test_all_see_how_many_cards_were_bought_and_the_buyer_alone_which():
    game = position([{"hand": plus(CARD, CARD)}, {}, {}], rules=Rules(num_players=3), turn=4)
    for bought in (1, 2):
        game.step(action_id("buy_development_card"))
        assert [int(seen(game, p)["cards_bought"][0]) for p in range(3)] == [bought] * 3
    assert seen(game, 0)["own_new_cards"].sum() == 2
    assert not seen(game, 1)["own_new_cards"].any()
    game.step(action_id("end_turn"))
    assert not any(seen(game, p)["cards_bought"].any() for p in range(3))


def test_which_cards_were_bought_is_in_nobody_elses_observation():
    """Other cards on top of the deck: the buyer's view differs, the others' is the same."""
    games = [
        position([{"hand": CARD}, {}, {}], rules=Rules(num_players=3), turn=4, deck=[card])
        for card in ("knight", "monopoly", "victory_point")
    ]
    for game in games:
        game.step(action_id("buy_development_card"))
    assert len({game.observe(0).tobytes() for game in games}) == 3
    for viewer in (1, 2):
        assert len({game.observe(viewer).tobytes() for game in games}) == 1
        for name in encoders.names():
            made = [encoders.load(name).encode(game.observe(viewer)) for game in games]
            if encoders.load(name).is_dict:
                made = [np.concatenate([a.ravel() for a in each.values()]) for each in made]
            assert (made[0] == made[1]).all()
            assert (made[0] == made[2]).all()


def test_places_follow_one_another():
    assert [PLACES[s.name].start for s in SEGMENTS] == np.cumsum(
        [0, *(s.size for s in SEGMENTS[:-1])]
    ).tolist()
    assert sum(s.size for s in SEGMENTS) == SIZE == 1008
