"""Full random games: the truth is never lost, and states drawn keep every secret."""

from typing import Any

import numpy as np
import pytest

from catan_pz.belief import Belief, bounds_of, hand_events
from catan_pz.belief.bounds import HandBounds
from catan_pz.engine.state import STATE
from catan_pz.events import Events, as_seen_by
from catan_pz.game.game import Game
from catan_pz.terms import Phase
from tests.engine.games import choose

RULE_SETS: dict[str, dict[str, Any]] = {
    "four": {"num_players": 4, "offer_form": "both"},
    "three": {"num_players": 3, "offer_form": "composed", "discard_limit": 4},
    "two": {"num_players": 2, "offer_form": "templates"},
    "no_trade": {"num_players": 4, "trading": False, "friendly_robber": True},
    "short": {"num_players": 4, "trading": False, "victory_points": 4},
    "forced": {"num_players": 3, "offer_form": "both", "skip_forced": True, "victory_points": 6},
    "one_v_one": {"rules": "one_v_one"},
    "balanced": {"num_players": 3, "dice": "balanced", "discard_limit": 2, "max_turns": 60},
}


class Table:
    def __init__(self, seed: int, options: dict[str, Any]) -> None:
        self.game = Game(seed=seed, **options)
        self.rng = np.random.default_rng(seed)
        self.seats = range(self.game.rules.num_players)
        record = self.game.games[0]
        self.beliefs = [Belief(viewer, record) for viewer in self.seats]
        self.bounds = [HandBounds.known(record["hand"][: len(self.seats)]) for _ in self.seats]
        self.game.listeners += [belief.listen for belief in self.beliefs]
        self.game.listeners.append(self.follow_bounds)

    def follow_bounds(self, _game: Game, events: Events) -> None:
        for viewer, bounds in enumerate(self.bounds):
            for event in hand_events(as_seen_by(events, viewer), len(self.seats)):
                bounds.update(event)

    def play(self) -> bool:
        legal = self.game.legal_actions()
        if len(legal) > 0:
            self.game.step(choose(self.rng, legal))
        return len(legal) > 0

    def check_truth(self) -> None:
        """The truth is possible, and the bounds of belief and engine nest around it."""
        record = self.game.games[0]
        hands = record["hand"][: len(self.seats)]
        for viewer, belief in enumerate(self.beliefs):
            assert belief.hands.weight_of(hands) > 0
            assert sum(belief.hands.weights) == pytest.approx(1)
            least, most = bounds_of(record, viewer)
            assert (least <= belief.hands.least).all()
            assert (belief.hands.most <= most).all()
            # The engine's bounds are those of the independent bookkeeping, cell by cell.
            assert (least == self.bounds[viewer].least).all()
            assert (most == self.bounds[viewer].most).all()
            for shared in belief.shared:
                assert (shared.least <= hands).all()
                assert (hands <= shared.most).all()
            odds = belief.cards.victory_point_probabilities(record)
            assert all(odds[p, record["cards"][p, 4]] > 0 for p in self.seats)

    def check_secrecy(self, viewer: int) -> None:
        """States drawn are sound and look the same; nothing hidden has a part in them."""
        game, belief = self.game, self.beliefs[viewer]
        seed = int(self.rng.integers(2**32))
        drawn = belief.resample(game.games[0], np.random.default_rng(seed), 2)
        for i in range(2):
            other = Game.from_games(drawn[i : i + 1].copy(), game.rules)
            assert all((other.games[name] == drawn[name][i]).all() for name in STATE.names)
            assert not other.validate()
            assert other.observe(viewer).tobytes() == game.observe(viewer).tobytes()
            if game.player == viewer:
                assert other.mask.tobytes() == game.mask.tobytes()
            else:
                assert other.mask.any() == game.mask.any()
        another = belief.resample(game.games[0], self.rng)
        again = belief.resample(another[0], np.random.default_rng(seed), 2)
        assert all((again[name] == drawn[name]).all() for name in STATE.names)


def check_game(seed: int, options: dict[str, Any], steps: int, every: int) -> set[Phase]:
    """Play a game, checking the truth after each step and secrecy after some."""
    table = Table(seed, options)
    phases = set()
    for k in range(steps):
        phases.add(table.game.phase)
        table.check_truth()
        if k % every == 0:
            for viewer in table.seats:
                table.check_secrecy(viewer)
        if not table.play():
            for viewer in table.seats:
                table.check_secrecy(viewer)
            break
    return phases


def test_truth_and_secrecy_in_random_games() -> None:
    phases = [check_game(6, options, steps=300, every=15) for options in RULE_SETS.values()]
    assert set().union(*phases) == set(Phase)


@pytest.mark.purepython
def test_truth_and_secrecy_where_few_cards_are_enough() -> None:
    options = {"num_players": 3, "offer_form": "both", "victory_points": 3, "discard_limit": 2}
    check_game(2, options, steps=60, every=6)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("seed", range(10, 15))
def test_truth_and_secrecy_in_whole_random_games(name: str, seed: int) -> None:
    check_game(seed, RULE_SETS[name], steps=3000, every=7)


@pytest.mark.parametrize("seed", range(2))
def test_a_start_in_mid_game_keeps_every_secret(seed: int) -> None:
    table = Table(seed, {"num_players": 3 + seed % 2, "offer_form": "both"})
    for k in range(400):
        if not table.play():
            break
        if k % 40 == 0:
            record = table.game.games[0]
            full = table.beliefs
            table.beliefs = [Belief(viewer, record) for viewer in table.seats]
            for viewer in table.seats:
                known = {hands.tobytes() for hands in table.beliefs[viewer].hands.hands}
                assert known >= {hands.tobytes() for hands in full[viewer].hands.hands}
                table.check_secrecy(viewer)
            table.beliefs = full
