from collections.abc import Iterable
from typing import Any

import pytest

from catan_pz.actions import ACCEPT, REJECT, ROLL, WITHDRAW
from catan_pz.events import Decision
from catan_pz.rules import Rules
from catan_pz.tables.records.playing import played
from catan_pz.tables.records.soclog import told_game
from tests.tables.records.soclog_files import BOARD, Log


def known(decisions: Iterable[Decision]) -> list[tuple[Any, ...]]:
    """Decisions without what a log doesn't tell: who would accept, dice apart from their sum."""
    return [
        (one.player, one.action, sum(one.outcome) if one.action == ROLL else one.outcome)
        for one in decisions
        if one.action not in (ACCEPT, REJECT, WITHDRAW)
    ]


@pytest.mark.parametrize("seed", [0, 3, 4, 6])
def test_games_come_back_equal(seed: int) -> None:
    players = 2 + seed % 3
    rules = Rules(
        num_players=players,
        victory_points=4 + seed,
        board=BOARD,
        counter_offers=seed % 4 != 3,
        offer_form="both",
    )
    log = Log(rules, seed).play()
    game = played(told_game(log.text))
    assert game.report.disagreement is None
    assert game.record.names == [f"p{number}" for number in log.numbers]
    assert game.record.result["winner"] == log.game.winner
    assert known(game.record.decisions) == known(log.decisions)
