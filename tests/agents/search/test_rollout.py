"""Rollouts: the greedy player, and the chance that simulations share."""

import numpy as np
import pytest

from catan_pz.actions import ROLL, action_id
from catan_pz.agents.policies import GREEDY, RANDOM
from catan_pz.agents.random_stream import scramble
from catan_pz.agents.search import search_calls
from catan_pz.agents.search.rollout import PLAYERS
from catan_pz.engine.chance import GAMMA
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.agents.search.play import in_the_middle, play_out, quick_choice

RULES = (
    Rules(trading=False),
    Rules(offer_form="both"),
    Rules(num_players=3, offer_form="composed"),
    Rules.make("one_v_one"),
    Rules(num_players=3, friendly_robber=True, skip_forced=True),
)
_ALL = 2**64 - 1
_OTHER = 0x5851F42D4C957F2D


def names(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.offer_form}-{rules.dice}-{rules.skip_forced}"


def play_through_game(game: Game, player: int, seed: int, last_turn: int) -> int:
    """What `play_on` does, decision by decision; returns how many there were."""
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


@pytest.mark.parametrize("rules", RULES, ids=names)
@pytest.mark.parametrize("player", PLAYERS.values(), ids=PLAYERS)
def test_a_rollout_is_the_game_played_with_the_same_draws(rules: Rules, player: int) -> None:
    for seed in range(4):
        game = Game(rules, seed=seed)
        other = game.copy()
        last_turn = 25 if player == RANDOM else 400
        play_out(other.games, player, seed, last_turn)
        assert play_through_game(game, player, seed, last_turn) > 50
        assert game.games.tobytes() == other.games.tobytes()
        assert not game.validate()


@pytest.mark.parametrize("rules", RULES, ids=names)
def test_the_quick_player_plays_legal_actions_wherever_it_comes(rules: Rules) -> None:
    phases = set()
    for seed in range(6):
        game = Game(rules, seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(500):
            legal = game.legal_actions()
            if len(legal) == 0:
                break
            action = quick_choice(game.games, GREEDY, 0)
            if len(legal) > 1:
                assert game.mask[action], (game.phase, action)
                phases.add(game.phase)
            game.step(action if rng.random() < 0.3 and len(legal) > 1 else int(rng.choice(legal)))
    assert {Phase.MAIN, Phase.MOVE_ROBBER, Phase.SETUP_SETTLEMENT} <= phases
    if rules.trading:
        assert {Phase.ANSWER, Phase.CLOSE} <= phases
        if rules.offer_form != "templates":
            assert Phase.COMPOSE in phases


@pytest.mark.parametrize("rules", RULES[:3], ids=names)
def test_the_quick_player_looks_at_nothing_that_its_seat_does_not_know(rules: Rules) -> None:
    rng = np.random.default_rng(5)
    differing = 0
    for seed in range(25):
        game, belief = in_the_middle(rules, seed, 60 + 25 * seed)
        action = quick_choice(game.games, GREEDY, 0)
        for _ in range(5):
            other = belief.resample(game.state, rng)
            differing += (other["deck"] != game.games["deck"]).any()
            assert quick_choice(other, GREEDY, 0) == action
    assert differing > 100


def wins(rules: Rules, games: int) -> int:
    """Games that the greedy player wins, in seat 0, against random players."""
    won = 0
    for seed in range(games):
        game = Game(rules, seed=seed)
        rng = np.random.default_rng(seed)
        while game.mask.any():
            player = GREEDY if game.player == 0 else RANDOM
            draw = int(rng.integers(2**63))
            legal = game.legal_actions()
            action = int(legal[0])
            if len(legal) > 1:
                action = quick_choice(game.games, player, draw)
            game.step(action)
        won += game.winner == 0
    return won


def test_the_quick_player_beats_random_ones() -> None:
    assert wins(Rules(trading=False), 20) >= 19


def test_after_different_actions_the_next_turns_throw_the_same_dice() -> None:
    game, _ = in_the_middle(Rules(trading=False), 8, 200)
    throws = []
    for action in game.legal_actions():
        spare = as_games(game.games.copy())
        game_after = Game.from_games(spare, game.rules)
        game_after.step_once(int(action))
        turn = game.turn + 6
        play_out(game_after.games, GREEDY, 77, turn)
        assert game_after.turn == turn
        throws.append(tuple(game_after.state["dice"]))
    assert len(game.legal_actions()) > 1
    assert len(set(throws)) == 1


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
            play_out(one.games, GREEDY, seed, game.turn + 1)
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
    tops = np.zeros(5)
    trials = 4000
    for seed in range(trials):
        spare = as_games(np.zeros(1, STATE))
        search_calls.begin(game.games, spare, np.uint64(seed))
        deck = spare["deck"][0]
        assert (np.sort(deck) == np.sort(game.state["deck"])).all()
        assert (deck[:top] == 0).all()
        tops[deck[top]] += 1
    expected = np.bincount(game.state["deck"][top:], minlength=5) / left
    errors = np.sqrt(expected * (1 - expected) / trials)
    assert (abs(tops / trials - expected) <= 4 * errors + 1e-12).all()
