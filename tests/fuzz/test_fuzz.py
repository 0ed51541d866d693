"""Each target with inputs that hypothesis draws, and faults that were found and mended."""

from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catan_pz import Game, Rules
from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine.ranges import OF_RULES
from catan_pz.engine.state import DERIVED, STATE
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from tests.fuzz.inputs import Input, inputs_from
from tests.fuzz.oracle import Finding, Tally
from tests.fuzz.targets import TARGETS
from tests.helpers import RULE_SETS

SLOW = {"learners", "checkpoints", "single_seat", "batches", "results", "command_lines"}
"""Targets that are tried fewer times."""

QUICK = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
"""The same inputs each time: new ones are the long run's matter."""


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_does_harm(target: str) -> None:
    @settings(QUICK, max_examples=2 if target in SLOW else 8)
    @given(st.integers(0, 2**32))
    def try_inputs(seed: int) -> None:
        Input(target, seed).run()

    try_inputs()


@settings(QUICK, max_examples=30)
@given(st.randoms(use_true_random=False))
def test_no_state_does_harm(rng: Random) -> None:
    TARGETS["states"](rng, Tally())


def test_inputs_come_again() -> None:
    first = [next(inputs) for inputs in [inputs_from(3)] for _ in range(40)]
    again = [next(inputs) for inputs in [inputs_from(3)] for _ in range(40)]
    assert first == again
    assert len(set(first)) == 40


@pytest.mark.parametrize("name", OF_RULES)
def test_a_record_of_other_rules_is_no_game_of_these(name: str) -> None:
    games = Game(seed=1).games.copy()
    games[name] += 1
    with pytest.raises(ValueError, match=rf"games\[0\]: {name}=.*by the rules"):
        Game.from_games(games, Rules())


def test_a_game_with_trade_has_no_room_in_a_mask_without() -> None:
    games = Game(RULE_SETS["base"], seed=1).games
    with pytest.raises(ValueError, match="trading=1"):
        Game.from_games(games.copy(), RULE_SETS["without_trade"])


COUNTERS = ("script_place", "to_discard", "offers_made", "below", "above")
"""Fields that may hold the greatest number of their type."""

WRONG_NUMBERS: dict[str, tuple[Any, int, str]] = {
    "a seat that isn't there": ("player", 4, "0 to 3"),
    "a hex that isn't there": ("robber", 19, "0 to 18"),
    "a number token that isn't there": ("token", 13, "0 to 12"),
    "a negative place in a script": ("script_place", -1, "0 to 2147483647"),
    "an edge that isn't there": ("roads", 1 << 36, "0 to 68719476735"),
    "too many cards in the bank": ("bank", 20, "0 to 19"),
    "a negative hand": ("hand", -1, "0 to 127"),
    "more turns than a game can go on from": ("turn", 2**30 + 1, "0 to 1073741824"),
    "an outcome that is still to be used": ("outcome", 3, "-1$"),
}


@pytest.mark.parametrize("fault", WRONG_NUMBERS)
def test_a_number_that_no_field_can_hold_is_refused(fault: str) -> None:
    name, value, allowed = WRONG_NUMBERS[fault]
    games = Game(seed=1).games.copy()
    games[name].reshape(-1)[0] = value
    with pytest.raises(ValueError, match=rf"games\[0\]: {name}.*={value} .*{allowed}"):
        Game.from_games(games, Rules())


def test_more_cards_than_can_be_counted_are_refused() -> None:
    games = Game(seed=1).games.copy()
    games["hand"][0, 2, 4] = 33
    with pytest.raises(ValueError, match=r"bank and hands have 128 cards; allowed: at most 127"):
        Game.from_games(games, Rules())


def test_more_roads_than_pieces_are_refused() -> None:
    games = Game(seed=1).games.copy()
    games["roads"][0, 1] = 2**36 - 1
    with pytest.raises(ValueError, match=r"seat 1 has 72 roads; allowed: at most 15"):
        Game.from_games(games, Rules())


@pytest.mark.parametrize("name", ["hand", "played", "roads", "answer", "offer_get", "above"])
def test_a_seat_that_nobody_holds_has_nothing(name: str) -> None:
    rules = Rules(num_players=3)
    games = Game(rules, seed=1).games.copy()
    games[name][0, 3] = 1
    with pytest.raises(ValueError, match=rf"games\[0\]: {name}\[3\].*=1 .*allowed: 0$"):
        Game.from_games(games, rules)
    games = Game(rules, seed=1).games.copy()
    games["below"][0, 0, 3, 2] = 1
    with pytest.raises(ValueError, match=r"below\[0\]\[3\]\[2\]=1 .*allowed: 0$"):
        Game.from_games(games, rules)


@pytest.mark.parametrize("name", ["terrain", "token", "harbor"])
def test_a_board_of_other_parts_is_refused(name: str) -> None:
    games = CpuBatch(3, seed=1).games.copy()
    games[name][1] = games[name][1, 0]
    with pytest.raises(ValueError, match=rf"games\[1\]: {name}=.* a rearrangement of"):
        CpuBatch(3).place_games([0, 1, 2], games, check=False)


def test_a_desert_has_no_number_token() -> None:
    """It would produce a resource that isn't there."""
    games = Game(seed=1).games.copy()
    desert = int(games["terrain"][0].argmax())
    other = (desert + 1) % 19
    games["token"][0, [desert, other]] = games["token"][0, [other, desert]]
    with pytest.raises(ValueError, match=r"games\[0\]: the desert has a number token"):
        Game.from_games(games, Rules())


def test_every_field_has_a_range_or_is_free() -> None:
    game, free = Game(seed=1), []
    for name in STATE.names or ():
        games = game.games.copy()
        info = np.iinfo(STATE[name].base)
        games[name].reshape(-1)[:1] = info.max
        with suppress(ValueError):
            Game.from_games(games, game.rules)
            free.append(name)
    assert set(free) == {"rng", "padding", *DERIVED, *COUNTERS}


def test_a_learners_state_of_other_rules_is_refused() -> None:
    batch, other = SingleLearnerBatch(2, trading=False, seed=1), SingleLearnerBatch(2, seed=1)
    state = batch.get_state()
    with pytest.raises(ValueError, match="trading=1"):
        batch.set_state(state | {"games": other.get_state()["games"]})
    wrong = {
        "seats": np.array([0, 9], np.int8),
        "games": np.zeros(2, STATE),
        "mask": None,
        "seeds": [1, 2],
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=r"state: |games\[0\]"):
            batch.set_state(state | {name: value})
    batch.set_state(state)


def test_a_learners_state_that_breaks_the_rules_is_refused() -> None:
    batch = SingleLearnerBatch(2, seed=1)
    state = batch.get_state()
    state["games"]["legal"][1] = 0
    with pytest.raises(ValueError, match=r"games\[1\] breaks the rules: .*STALE"):
        batch.set_state(state)


class TestOracle:
    """What the fuzzer takes for a refusal."""

    def test_errors_of_the_package_are_refusals(self) -> None:
        tally = Tally()
        assert tally.attempt(Rules, num_players=7) == (False, None)
        assert tally.attempt(Rules, num_players=3)[0]
        assert tally == {"inputs": 2, "refused": 1, "accepted": 1}

    @pytest.mark.parametrize(
        "call",
        [
            lambda: {}["a"],
            lambda: int("x"),
            lambda: (_ for _ in ()).throw(ValueError),
        ],
    )
    def test_all_others_are_findings(self, call: Any) -> None:
        with pytest.raises(Finding):
            Tally().attempt(call)
