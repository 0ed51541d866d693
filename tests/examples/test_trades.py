import pytest

from catan_pz import Game, agents, describe_action
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from tests.examples.programs import load


@pytest.mark.parametrize("form", ["templates", "composed"])
def test_every_trade_is_counted(form):
    module = load("trades")
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
        assert trades.made.total() == kinds[seat].count(("offer", True))
        assert trades.closed.total() == kinds[seat].count(("close_with", True))
        for kind in ("accept", "reject", "offer"):
            assert trades.answers[kind] == kinds[seat].count((kind, False))
        assert (trades.given.sum() > 0) == (trades.got.sum() > 0) == (trades.closed.total() > 0)
    assert sum(trades.closed.total() for trades in counted) > 0
