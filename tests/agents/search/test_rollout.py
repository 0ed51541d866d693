"""Rollouts: the chance that simulations share, and win probabilities at the end."""

import numpy as np
import pytest

from catan_pz.actions import ROLL, action_id
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.random import HEURISTIC, RANDOM
from catan_pz.agents.random_stream import scramble
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.search.rollout import DELAY, MOST_OFFERS, PLAYERS, begin_simulation
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import shipped
from catan_pz.belief import Belief
from catan_pz.engine.chance import GAMMA
from catan_pz.engine.state import States
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.kernels.rule import entry
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import duel, in_the_middle, play_out, quick_choice
from tests.helpers import act

RULES = (
    Rules(trading=False),
    Rules(offer_form="both"),
    Rules(num_players=3, offer_form="composed"),
    Rules.make("one_v_one"),
    Rules(num_players=3, friendly_robber=True, skip_forced=True),
)
_ALL = 2**64 - 1
_OTHER = 0x5851F42D4C957F2D


@entry
def begin(games: States, seed: np.uint64) -> None:
    begin_simulation(games[0], seed)


def play_through_game(game: Game, player: int, seed: int, last_turn: int) -> int:
    """What simulation 0 does, decision by decision; returns how many there were."""
    seed = scramble(seed + int(GAMMA) & _ALL)
    begin(game.games, np.uint64(seed))
    game.games["max_offers"] = min(MOST_OFFERS, game.rules.max_offers_per_turn)
    draws = scramble(seed ^ _OTHER)
    decisions = 0
    while game.mask.any() and not (game.turn >= last_turn and game.phase == Phase.ROLL):
        legal = game.legal_actions()
        action = int(legal[0])
        if len(legal) > 1:
            draws = draws + int(GAMMA) & _ALL
            action = quick_choice(game.games, player, scramble(draws))
        if action == ROLL:
            game.games["rng"] = scramble(seed + int(GAMMA) * (game.turn + 1) & _ALL)
        game.step_once(action)
        decisions += 1
    return decisions


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
@pytest.mark.parametrize("player", PLAYERS.values(), ids=PLAYERS)
def test_a_rollout_is_the_game_played_with_the_same_draws(rules: Rules, player: int) -> None:
    for seed in range(2):
        game = Game(rules, seed=seed)
        other = game.copy()
        last_turn = 25 if player == RANDOM else 100
        play_out(other.games, player, seed, last_turn)
        assert play_through_game(game, player, seed, last_turn) > 50
        assert game.games.tobytes() == other.games.tobytes()
        assert not game.validate()


def test_a_theft_before_the_roll_leaves_the_dice_as_they_are() -> None:
    """The knight's theft draws a card, but from another stream than the dice."""
    first = {"settlements": [30], "cards": {"knight": 1}}
    second = {"settlements": [10], "hand": {"wool": 3, "ore": 2}}
    game = position([first, second], rules=Rules(num_players=2, trading=False), phase="roll")
    robbed = game.copy()
    robbed.step(action_id("play_knight"))
    robbed.step(action_id("move_robber", hex=4))
    assert robbed.phase == Phase.ROLL
    assert robbed.state["hand_size"][0] == 1
    rolls = []
    for seed in range(40):
        plain, other = game.copy(), robbed.copy()
        plain.games["cards"] = 0
        for one in (plain, other):
            play_out(one.games, HEURISTIC, seed, game.turn + 1)
            assert one.turn == game.turn + 1
        assert (plain.state["dice"] == other.state["dice"]).all()
        rolls.append(tuple(plain.state["dice"]))
    assert len(set(rolls)) > 15


def test_cards_to_come_are_drawn_anew_each_time() -> None:
    """By the order of the deck alone: the cards that are out stay where they are."""
    game, _ = in_the_middle(Rules(trading=False), 3, 300)
    left = int(game.state["deck_left"])
    assert left > 5
    top = len(game.state["deck"]) - left
    tops, trials = np.zeros(5), 2000
    for seed in range(trials):
        drawn = game.games.copy()
        begin(drawn, np.uint64(seed))
        deck = drawn["deck"][0]
        assert (np.sort(deck) == np.sort(game.state["deck"])).all()
        assert (deck[:top] == 0).all()
        tops[deck[top]] += 1
    expected = np.bincount(game.state["deck"][top:], minlength=5) / left
    errors = np.sqrt(expected * (1 - expected) / trials)
    assert (abs(tops / trials - expected) <= 4 * errors + 1e-12).all()


@pytest.mark.purepython
def test_a_rollout_plays_to_the_end() -> None:
    game = Game(Rules(num_players=2, trading=False, victory_points=4), seed=1)
    values = play_out(game.games, HEURISTIC, 5, 400)
    assert game.is_over
    assert values.sum() == values[game.winner or 0] == 1 - DELAY * game.turn


def test_a_finished_game_is_won_by_its_winner() -> None:
    game = duel({"grain": 2, "ore": 3}, turn=30)
    act(game, "build_city", vertex=6)
    assert play_out(game.games, HEURISTIC, 5, 40).tolist() == [1, 0, 0, 0]


def test_a_position_is_judged_as_the_agents_seat_knows_it() -> None:
    """Seat 1 is to move, and seat 0 has four cards of which it alone knows what they are."""
    rules = Rules(num_players=2, trading=False)
    hidden = {"settlements": [30], "cards": {"victory_point": 4}}
    seats = [hidden, {"settlements": [10], "hand": {"wool": 1}, "cards": {"knight": 1}}]
    game = position(seats, rules=rules, phase="roll", turn=31, turn_player=1, player_to_move=1)
    judge = Judge(rules, shipped(2))
    by_seat = [judge.win_probabilities(game.games, viewer)[0] for viewer in range(2)]
    assert abs(by_seat[0] - by_seat[1]) > 0.05
    agent = SearchAgent(simulations=4, turns=0)
    agent.reset(0, rules, 1)
    view = view_of(game, 0, FromBelief(Belief(0, game.state), game))
    assert agent.win_probabilities(view)[0] == pytest.approx(by_seat[0], abs=0.02)
