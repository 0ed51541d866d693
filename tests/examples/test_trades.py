import numpy as np
import pytest

from catan_pz import Game, agents, describe_action
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from tests.examples.programs import load


@pytest.fixture(scope="module")
def module():
    return load("trades")


@pytest.mark.parametrize("form", ["templates", "composed"])
def test_every_trade_is_counted(module, form):
    game = Game(seed=3, num_players=3, offer_form=form)
    decisions = []
    game.listeners.append(lambda _game, events: decisions.append(events[0]))
    counted = [module.Trades() for _ in range(3)]
    for seat, trades in enumerate(counted):
        trades.watch(game, seat)
    players = [agents.load("random"), agents.load("heuristic"), agents.load("heuristic")]
    Table(game, players, seat_seeds(3, 3)).play()
    kinds, sent = [[], [], []], {"compose_send": "offer"}
    for decision in decisions:
        own = decision.seat == decision.other
        kind = describe_action(decision.what)["kind"]
        kinds[decision.seat].append((sent.get(kind, kind), own))
    for seat, trades in enumerate(counted):
        assert trades.games == 1
        assert trades.made.total() == kinds[seat].count(("offer", True))
        assert trades.closed.total() == kinds[seat].count(("close_with", True))
        for kind in ("accept", "reject", "offer"):
            assert trades.answers[kind] == kinds[seat].count((kind, False))
        assert (trades.given.sum() > 0) == (trades.got.sum() > 0) == (trades.closed.total() > 0)
    assert sum(trades.made.total() for trades in counted) > 0
    assert sum(trades.closed.total() for trades in counted) > 0
    assert all(all(made.split(" for ")) for trades in counted for made in trades.made)


def test_a_trade_moves_the_cards_it_says(module):
    """Each card that leaves a hand by a trade was named in its terms."""
    game = Game(seed=5, num_players=2)
    trades = module.Trades()
    trades.watch(game, 0)
    Table(game, [agents.load("heuristic")] * 2, seat_seeds(5, 2)).play()
    given, got = np.zeros(5, int), np.zeros(5, int)
    for terms, count in trades.closed.items():
        for side, total in zip(terms.split(" for "), (given, got), strict=True):
            for cards in side.split(" + "):
                number, name = cards.split()
                total[module.RESOURCES.index(name)] += count * int(number)
    assert (given == trades.given).all()
    assert (got == trades.got).all()
    assert trades.closed.total() > 0
