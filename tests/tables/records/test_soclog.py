from collections.abc import Iterable
from typing import Any

import pytest

from catan_pz.actions import ACCEPT, REJECT, ROLL, WITHDRAW
from catan_pz.events import Decision
from catan_pz.rules import Rules
from catan_pz.tables.records.playing import played
from catan_pz.tables.records.soclog import told_game
from tests.tables.records.soclog_files import BOARD, Log, cards


def known(decisions: Iterable[Decision]) -> list[tuple[Any, ...]]:
    """Decisions without what a log doesn't tell: who would accept, dice apart from their sum."""
    return [
        (one.player, one.action, sum(one.outcome) if one.action == ROLL else one.outcome)
        for one in decisions
        if one.action not in (ACCEPT, REJECT, WITHDRAW)
    ]


def test_an_offer_of_more_cards_than_there_are_is_refused() -> None:
    log = Log(Rules(num_players=2, board=BOARD, trading=False), 0)
    log.write("MakeOffer", f"from=1|give={cards([10**12, 0, 0, 0, 0])}|get={cards([0] * 5)}")
    with pytest.raises(ValueError, match=r"line \d+: a count of cards must be from 0"):
        told_game(log.text)


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
