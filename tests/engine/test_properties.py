"""Properties of any game: hypothesis chooses the options, the seed and every action."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catan_pz import Game, IllegalActionError, Rules
from catan_pz.engine.violations import Violation
from tests.engine.games import ACTIONS, KIND_OF
from tests.engine.reference_legal import Reference
from tests.engine.test_random_games import check_conservation

SETTINGS = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

pairs = st.tuples(st.integers(1, 6), st.integers(1, 6))
options = st.fixed_dictionaries(
    {
        "num_players": st.integers(2, 4),
        "trading": st.booleans(),
        "counter_offers": st.booleans(),
        "offer_form": st.sampled_from(["templates", "composed", "both"]),
        "max_offers_per_turn": st.integers(0, 4),
        "victory_points": st.integers(3, 15),
        "discard_limit": st.integers(2, 9),
        "friendly_robber": st.booleans(),
        "dice": st.one_of(
            st.sampled_from(["random", "balanced"]), st.lists(pairs, min_size=1, max_size=8)
        ),
        "board": st.one_of(
            st.sampled_from(["random", "spiral", "beginner"]),
            st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=2),
        ),
        "first_player": st.sampled_from([0, "random"]),
        "skip_forced": st.booleans(),
        "max_turns": st.one_of(st.none(), st.integers(1, 50)),
    }
)


def pick(data, actions):
    """An action that hypothesis chooses: first its kind, then one of the kind."""
    kind = data.draw(st.sampled_from(sorted({KIND_OF[a] for a in actions})))
    return data.draw(st.sampled_from([a for a in actions if KIND_OF[a] == kind]))


@SETTINGS
@given(options=options, seed=st.integers(0, 2**64 - 1), data=st.data())
def test_any_game_keeps_the_rules(options, seed, data):
    """Cards and pieces add up, nothing is broken, the mask is what the rulebook allows."""
    game = Game(Rules(**options), seed=seed)
    for _ in range(data.draw(st.integers(10, 60))):
        state = game.snapshot()
        check_conservation(state)
        assert game.validate() == Violation.NONE
        reference = Reference(state)
        actions = [a for a, legal in enumerate(game.mask) if legal]
        assert actions == [a for a in range(len(game.mask)) if reference.allows(ACTIONS[a])]
        if not actions:
            assert game.is_over or game.is_truncated
            return
        game.step(pick(data, actions))


@SETTINGS
@given(seed=st.integers(0, 2**64 - 1), data=st.data())
def test_an_action_is_legal_exactly_when_it_can_be_played(seed, data):
    """A trial of each action: what the mask forbids is refused and changes nothing."""
    game = Game(Rules(num_players=data.draw(st.integers(2, 4)), offer_form="both"), seed=seed)
    for _ in range(data.draw(st.integers(0, 40))):
        actions = game.legal_actions().tolist()
        if not actions:
            return
        game.step(pick(data, actions))
    for a in range(-1, len(game.mask) + 1):
        trial = game.copy()
        before = trial.games.tobytes()
        if 0 <= a < len(game.mask) and game.mask[a]:
            trial.step(a)
            assert trial.validate() == Violation.NONE
            assert trial.games.tobytes() != before
        else:
            with pytest.raises(IllegalActionError):
                trial.step(a)
            assert trial.games.tobytes() == before
