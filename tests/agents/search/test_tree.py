"""The tree: chance in it, its sums, what is kept of it, and enumeration beside it."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from catan_pz.actions import action_id, describe_action
from catan_pz.agents.random import HEURISTIC
from catan_pz.agents.search import search_calls, tree
from catan_pz.agents.search.parallel_trees import ParallelTrees, keep_position, moves_of
from catan_pz.agents.search.rollout import Rollout
from catan_pz.agents.search.simulator import Budget, Simulator
from catan_pz.agents.search.tree import BY_PLAYER, BY_VALUE, Nodes, Walk
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.game.game import Game
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from tests.agents.search.play import RIVAL, duel, in_the_middle, searcher, seen

FIRST, NEXT, ACTION, VISITS = tree.FIRST, tree.NEXT, tree.ACTION, tree.VISITS


def children(one: Nodes, node: int) -> list[int]:
    found = []
    row = int(one.links[node, FIRST])
    while row:
        found.append(row)
        row = int(one.links[row, NEXT])
    return found


def grown(
    game: Game,
    simulations: int,
    *,
    actions: list[int] | None = None,
    turns: int = 2,
    exploration: float = 0.5,
    rows: int = 100_000,
    guide: int = BY_PLAYER,
    policy: np.ndarray | None = None,
) -> Nodes:
    trees = ParallelTrees(1, rows, Walk(guide, HEURISTIC, exploration))
    chosen = np.array(game.legal_actions() if actions is None else actions, np.int64)
    simulator = Simulator(game.games, 5, Rollout(HEURISTIC, turns), 1)
    if policy is None:
        policy = np.full(game.rules.num_actions, 1 / len(chosen))
    trees.choose(simulator, chosen, Budget(simulations, None), policy)
    return trees.trees[0]


def key(game: Game, viewer: int) -> int:
    return int(search_calls.look_key(game.games, viewer, np.zeros(SIZE, np.int8)))


def reached(one: Nodes, game: Game, action: int, outcomes: dict[Any, float]) -> dict[int, float]:
    """Visits to what each outcome of an action leads to, by key, beside its probability."""
    expected: Counter[int] = Counter()
    for outcome, probability in outcomes.items():
        after = game.copy()
        after.step(action, outcome)
        assert len(after.legal_actions()) > 1
        expected[key(after, game.player)] += probability
    move = moves_of(one)[action]
    visits = {int(one.keys[k]): int(one.links[k, VISITS]) for k in children(one, move)}
    assert set(visits) <= set(expected)
    total = int(one.links[move, VISITS])
    assert total == sum(visits.values())
    for each, probability in expected.items():
        error = (probability * (1 - probability) / total) ** 0.5
        assert abs(visits.get(each, 0) / total - probability) < 4.5 * error, (probability, total)
    return dict(expected)


@pytest.mark.parametrize(
    ("hand", "entries", "kind", "expected"),
    [
        # Eleven sums, but what brings nobody anything looks the same.
        ({"wool": 4}, {"phase": "roll", "first": {"cards": {"knight": 1}}}, "roll", None),
        # Three wool and one ore: the thief sees which, so that there are two positions.
        (
            {"wool": 4},
            {
                "phase": "move_robber",
                "second": {"hand": {"wool": 3, "ore": 1}, "settlements": [22]},
            },
            "move_robber",
            [0.25, 0.75],
        ),
        (
            {"wool": 5, "grain": 1, "ore": 1},
            {"rules": Rules(num_players=2, trading=False, victory_points=12)},
            "buy_development_card",
            [2 / 25, 2 / 25, 2 / 25, 5 / 25, 14 / 25],
        ),
    ],
    ids=["dice", "thefts", "cards"],
)
def test_chance_falls_as_often_as_it_should(
    hand: dict[str, int], entries: dict[str, Any], kind: str, expected: list[float] | None
) -> None:
    game = duel(hand, **entries)
    legal = [int(a) for a in game.legal_actions()]
    action = next(a for a in legal if describe_action(a)["kind"] == kind and game.outcomes(a))
    one = grown(game, 4000, actions=[action, next(a for a in legal[::-1] if a != action)])
    found = sorted(reached(one, game, action, game.outcomes(action)).values())
    assert 3 < len(found) < 36 if expected is None else found == pytest.approx(expected)


def test_sums_are_sound() -> None:
    game, _ = in_the_middle(Rules(trading=False, num_players=3), 4, 150)
    one = grown(game, 3000)
    used = int(one.links[0, VISITS])
    assert one.links[tree.ROOT, VISITS] <= 3000
    assert used > 1000
    for node in range(tree.ROOT, used):
        below = [int(one.links[k, VISITS]) for k in children(one, node)]
        # A position is made by a visit that goes no further; a game that ends leaves a move.
        assert sum(below) <= one.links[node, VISITS]
        parents = {int(one.links[k, tree.PARENT]) for k in children(one, node)}
        assert parents <= {node}
        total = one.totals[node].sum()
        assert total == pytest.approx(one.links[node, VISITS], rel=1e-2)
        assert one.totals[node, 3] == 0
    deeper = [len(children(one, k)) for k in range(2, used) if one.links[k, ACTION] < 0]
    assert max(deeper) > 1


def as_nested(one: Nodes, node: int) -> Any:
    rest = one.links[node, ACTION:].tolist(), one.totals[node].tolist(), float(one.priors[node])
    return int(one.keys[node]), rest, [as_nested(one, k) for k in children(one, node)]


def test_what_lies_below_the_new_root_is_kept_and_nothing_else() -> None:
    game, _ = in_the_middle(Rules(trading=False), 4, 150)
    one = grown(game, 3000)
    places = [
        k
        for k in range(2, int(one.links[0, VISITS]))
        if one.links[k, ACTION] < 0 and one.links[k, VISITS] > 20
    ]
    node = places[len(places) // 2]
    before = as_nested(one, node)
    seat = int(one.links[node, tree.MOVER])
    visits = keep_position(one, int(one.keys[node]), seat)
    assert as_nested(one, tree.ROOT) == before
    assert visits == one.links[tree.ROOT, VISITS] > 20
    used = int(one.links[0, VISITS])
    assert (one.links[2:used, tree.PARENT] > 0).all()
    assert one.links[tree.ROOT, tree.PARENT] == one.links[tree.ROOT, NEXT] == 0


def test_a_tree_is_kept_from_decision_to_decision() -> None:
    """After a trade with the bank its player goes on in the same turn."""
    game = duel({"wool": 8, "brick": 1}, second=RIVAL)
    kept = searcher(game, method="puct", simulations=400)
    game.step(kept.act(seen(game)))
    assert game.player == 0
    fresh = searcher(game, method="puct", simulations=400, keep_tree=False)
    before = []
    for agent in (kept, fresh):
        agent.act(seen(game))
        before.append(agent.last["visits"].sum() - agent.last["simulations"])
    assert before[0] > 20
    assert before[1] == 0


def test_a_full_tree_grows_no_more() -> None:
    game, _ = in_the_middle(Rules(trading=False), 4, 150)
    one = grown(game, 2000, rows=60)
    assert one.links[0, VISITS] == 60
    assert one.links[tree.ROOT, VISITS] > 1000


def priors_below(one: Nodes, action: int) -> dict[int, float]:
    """Priors by action at the one position to which an action of the root leads."""
    (place,) = children(one, moves_of(one)[action])
    return {int(one.links[k, ACTION]): float(one.priors[k]) for k in children(one, place)}


@pytest.mark.parametrize("trading", [False, True])
def test_below_the_root_the_policy_is_that_of_the_value(trading: bool) -> None:
    """But for offers, which aren't considered there."""
    rules = Rules(num_players=2, trading=trading)
    game = duel({"wool": 8, "brick": 2, "lumber": 1, "ore": 1, "grain": 1}, rules=rules)
    swap = action_id("maritime_trade", give="wool", get="ore")
    one = grown(game, 40, actions=[swap, action_id("end_turn")], guide=BY_VALUE)
    found = priors_below(one, swap)
    game.step(swap)
    agent = ValueAgent()
    agent.reset(0, rules, 1)
    policy = agent.policy(seen(game))
    assert policy[252:].sum() > 0 if trading else len(policy) == 252
    expected = policy[:252] / policy[:252].sum()
    legal = [int(a) for a in game.legal_actions() if a < 252]
    assert len(legal) > 4
    assert sorted(found) == legal
    assert [found[a] for a in legal] == pytest.approx(expected[legal].tolist(), rel=1e-6)
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("guide", [BY_PLAYER, BY_VALUE])
def test_below_the_root_the_player_of_rollouts_leads_the_set_up(guide: int) -> None:
    game = Game(Rules(num_players=2, trading=False), seed=3)
    place = int(game.legal_actions()[0])
    one = grown(game, 30, actions=[place, place + 1], guide=guide)
    found = sorted(priors_below(one, place).values())
    assert found == pytest.approx([0.5 / len(found)] * (len(found) - 1) + [0.5 + 0.5 / len(found)])


def test_the_first_simulation_is_of_the_action_of_the_largest_prior() -> None:
    game, _ = in_the_middle(Rules(trading=False), 4, 150)
    for action in game.legal_actions():
        policy = np.full(game.rules.num_actions, 0.1)
        policy[action] = 0.2
        one = grown(game, 1, policy=policy)
        assert one.links[moves_of(one)[int(action)], VISITS] == 1


Known = dict[bytes, np.ndarray]


def expectimax(game: Game, known: Known) -> np.ndarray:
    """(2,) win probabilities of both players when each goes for its own, chance enumerated."""
    if game.is_over:
        return np.eye(2)[game.winner]
    if game.is_truncated:
        return np.zeros(2)
    record = game.games.copy()
    record["rng"] = 0
    if record.tobytes() not in known:
        options = [after(game, int(a), known) for a in game.legal_actions()]
        known[record.tobytes()] = max(options, key=lambda probability: probability[game.player])
    return known[record.tobytes()]


def after(game: Game, action: int, known: Known) -> np.ndarray:
    """(2,) win probabilities of both once an action is played."""
    total = np.zeros(2)
    for outcome, probability in (game.outcomes(action) or {None: 1.0}).items():
        other = game.copy()
        other.step(action, outcome)
        total += probability * expectimax(other, known)
    return total


def endgame(cards: dict[str, int]) -> Game:
    """Both need a point, and the other lacks one ore: a card, or the robber on its ore?"""
    rules = Rules(num_players=2, trading=False, max_turns=2)
    first = {"cities": [0, 2, 4], "settlements": [6, 16, 18], "cards": cards}
    second = {"cities": [20, 22, 24], "settlements": [26, 48, 50], "hand": {"grain": 2, "ore": 2}}
    return duel({"wool": 1, "grain": 1, "ore": 1}, rules=rules, first=first, second=second)


@pytest.mark.parametrize("cards", [{}, pytest.param({"knight": 1}, marks=pytest.mark.slow)])
def test_win_probabilities_come_near_those_of_enumeration(cards: dict[str, int]) -> None:
    game, known = endgame(cards), Known()
    exact = {int(a): float(after(game, int(a), known)[0]) for a in game.legal_actions()}
    one = grown(game, 20_000, turns=1000)
    moves = moves_of(one)
    best = max(exact, key=lambda a: exact[a])
    chosen = max(moves, key=lambda a: one.links[moves[a], VISITS])
    assert exact[chosen] == pytest.approx(exact[best], abs=0.01)
    found = one.totals[moves[chosen], 0] / one.links[moves[chosen], VISITS]
    assert found == pytest.approx(exact[chosen], abs=0.03)
    assert len(set(exact.values())) > 1
