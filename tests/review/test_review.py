"""Reviews say what players could know: sums, secrecy, blunders, and files that are whole."""

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import Game
from catan_pz.actions import (
    BUY_DEVELOPMENT_CARD,
    COMPOSE_SEND,
    END_TURN,
    NO_ACTION,
    OFFER,
    OFFER_GET,
    ROLL,
    WITHDRAW,
    action_id,
    is_offering,
)
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import shipped
from catan_pz.belief import Belief
from catan_pz.cli import main
from catan_pz.events import outcome_code
from catan_pz.game.record import GameRecord
from catan_pz.review import Review, review_record
from catan_pz.review.report import tables, to_markdown
from catan_pz.rules import Rules
from catan_pz.terms import Phase, Resource
from catan_pz.web.replay import Replay
from tests.helpers import CARD, edge, play_randomly, table
from tests.play.recordings import recorded
from tests.web.test_replay import content

__all__ = ["recorded"]

WORST = 47
"""A vertex by the sea, at one hex."""


@pytest.fixture(scope="module")
def blundered() -> GameRecord:
    """A game of two `value` players, one of whom settles first by a single hex."""
    game = Game(Rules(num_players=2, max_turns=40), seed=5)
    record = GameRecord.of(game)
    with Table(game, ["value"] * 2, seat_seeds(5, 2)) as played:
        for _ in range(2):
            played.step()
        game.step(action_id("build_settlement", vertex=WORST))
        while game.mask.any():
            played.step()
    return record


@pytest.fixture(scope="module")
def review(blundered: GameRecord) -> Review:
    return review_record(blundered, "value")


def test_win_probabilities_and_luck_add_up(review: Review) -> None:
    record, shares = review.record, review.win_probabilities
    assert len(shares) == len(record.decisions) + 1
    np.testing.assert_allclose(shares.sum(1), 1)
    np.testing.assert_allclose(review.luck.sum(0), 0, atol=1e-12)
    np.testing.assert_allclose(shares[0] + review.luck.sum(1) + review.play, shares[-1])
    assert abs(review.luck).sum(0).all()
    if record.result["winner"] is not None:
        assert shares[-1][record.result["winner"]] == 1


def test_cards_are_counted(review: Review) -> None:
    rolled = np.zeros(2)
    for game, decision in zip(review.record.replay(), review.record.decisions, strict=False):
        if decision.action == ROLL:
            before = game.games["hand_size"][0, :2].astype(int)
            again = game.copy()
            again.step_once(ROLL, decision.outcome)
            rolled += again.games["hand_size"][0, :2] - before
    assert [counts["rolled"] for counts in review.counts] == rolled.tolist()
    bought = sum(one.action == BUY_DEVELOPMENT_CARD for one in review.record.decisions)
    assert sum(counts["bought"] for counts in review.counts) == bought
    given, got = (sum(counts[what] for counts in review.counts) for what in ("given", "got"))
    assert given == got


def test_a_blunder_is_the_dearest_decision(review: Review) -> None:
    dear, placed = review.priced[0], review.placements[1]
    assert (dear.number, dear.played) == (2, action_id("build_settlement", vertex=WORST))
    assert dear.loss > 5 * dear.error
    assert dear.loss > 0.1
    assert (placed.number, placed.action) == (2, dear.played)
    assert placed.rank > placed.legal / 2
    losses = [one.loss for one in review.priced]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("kind", ["roll", "buy_development_card", "move_robber"])
def test_what_chance_may_bring_is_weighed_as_it_is_played(kind: str) -> None:
    """Each outcome is judged in the position that it leads to, as the game itself plays it."""
    phase = {"roll": "roll", "move_robber": "move_robber"}.get(kind, "main")
    game = table(
        {"settlements": [10, 42], "roads": [edge(10, 11)], "hand": CARD},
        {"settlements": [19, 23], "roads": [edge(19, 20)], "hand": {"ore": 2, "wool": 1}},
        phase=phase,
    )
    at = {"hex": 3} if kind == "move_robber" else {}
    action = action_id(kind, **at)
    judge = Judge(game.rules, shipped(2))
    found = judge.outcomes(game.games, action, 0)
    possible = game.outcomes(action)
    assert found.chances.sum() == pytest.approx(1)
    for outcome, chance in possible.items():
        code, after = outcome_code(outcome), game.copy()
        after.step_once(action, outcome)
        assert found.chances[code] == pytest.approx(chance)
        grown = after.games["hand_size"][0, :2].astype(int) - game.games["hand_size"][0, :2]
        np.testing.assert_allclose(found.cards[code], grown)
        own = judge.win_probabilities(after.games, 0)
        np.testing.assert_allclose(found.values[code], own, rtol=1e-6)
    here = judge.outcomes(game.games, NO_ACTION, 0).values[0]
    np.testing.assert_allclose(here, judge.win_probabilities(game.games, 0))


SETTLING, RICH = ({"brick": 1, "lumber": 1, "wool": 1, "ore": 3}, {"grain": 4, "wool": 2})
"""Hands of one who lacks grain for a settlement, and of one who has enough of it."""


@pytest.mark.parametrize("agent", ["value", "search:preset=fast"])
def test_offers_are_compared_with_none_and_with_others(agent: str) -> None:
    """Cards that a settlement takes are given away, by one action and card by card; or no offer."""
    game = table(
        {"settlements": [10, 42], "roads": [edge(10, 11), edge(11, 12)], "hand": SETTLING},
        {"settlements": [19, 23], "roads": [edge(19, 20)], "hand": RICH},
        offer_form="both",
    )
    whole = action_id("offer", give={"brick": 1, "lumber": 1}, get={"wool": 1})
    cards = [("give", "brick"), ("give", "lumber"), ("get", "wool")]
    composed = [action_id(f"compose_{side}", resource=name) for side, name in cards]
    found = []
    for actions in ([whole], [*composed, COMPOSE_SEND], [END_TURN]):
        played = game.copy()
        record = GameRecord.of(played)
        for action in actions:
            played.step_once(action)
        (priced,) = review_record(record, agent, seed=5).priced
        assert priced.played == actions[-1]
        found.append(priced)
    given, sent, ended = found
    assert given.loss > 0.03 < sent.loss
    assert sent.best == WITHDRAW
    assert ended.loss > 5 * ended.error
    for one in (given, ended):
        assert OFFER_GET[one.best - OFFER][Resource.GRAIN] > 0


@pytest.mark.parametrize("kind", ["offer", "end_turn"])
def test_nothing_hidden_is_in_the_review_of_a_decision(kind: str) -> None:
    """Hands and cards of others, and the deck, are drawn anew: the mover's review is the same."""
    game = play_randomly(Game(Rules(num_players=3), seed=3), 260)
    while game.phase != Phase.MAIN or len(game.legal_actions()) < 3:
        play_randomly(game, 1)
    seat, action = game.player, END_TURN if kind == "end_turn" else int(game.legal_actions()[-1])
    others = Belief(seat, game.state).resample(game.state, np.random.default_rng(1), 3)
    assert len({one["hand"].tobytes() + one["deck"].tobytes() for one in others}) == 3
    seen = []
    for k in range(3):
        played = Game.from_games(others[k : k + 1].copy(), game.rules)
        record = GameRecord.of(played)
        played.step_once(action)
        found = review_record(record, "value")
        seen.append((found.win_probabilities[0].tolist(), found.priced))
    assert seen[0] == seen[1] == seen[2]
    (priced,) = seen[0][1]
    assert is_offering(priced.best)


def test_marked_decisions_are_not_priced(blundered: GameRecord) -> None:
    marked = json.loads(json.dumps([*map(json.loads, blundered.lines())]))
    for row in marked[1:-1]:
        row["marks"] = ["bot"]
    record = GameRecord.from_lines(map(json.dumps, marked[:4] + marked[-1:]))
    record.result = {"winner": None, "turns": 0, "points": [1, 0], "end": "unfinished"}
    record.decisions = record.decisions[:3]
    record.result["points"] = [int(n) for n in _points(record)]
    found = review_record(record, "value", left_out=("bot",))
    assert found.priced == []
    np.testing.assert_array_equal(found.win_probabilities[-1], found.win_probabilities[-2])


def test_a_game_that_was_left_at_once_has_the_win_probabilities_of_its_start() -> None:
    record = GameRecord.of(Game(num_players=2, seed=1))
    found = review_record(record, "value")
    assert found.win_probabilities.shape == (1, 2)
    np.testing.assert_allclose(found.win_probabilities.sum(), 1)
    assert found.priced == found.placements == []
    assert "at the end, %" in to_markdown(found)


def _points(record: GameRecord) -> Any:
    game = Game.from_snapshot(record.start)
    for decision in record.decisions:
        game.step_once(decision.action)
    return game.points


def test_the_command_writes_a_page_with_the_review(
    recorded: Path, tmp_path: Path, capsys: Any
) -> None:
    page = tmp_path / "review.html"
    assert main(["review", str(recorded), "--agent", "value", "--html", str(page)]) == 0
    told = capsys.readouterr().out
    game = content(Replay(page.read_text(), 0))
    made = review_record(GameRecord.load(recorded), "value")
    assert game["review"] == json.loads(json.dumps([one._asdict() for one in tables(made)]))
    assert to_markdown(made) in told
    assert [one["name"] for one in game["review"]][1] == "Luck and play"
    assert all(sum(frame["wins"]) == pytest.approx(1, abs=0.01) for frame in game["frames"])
    for one in made.priced:
        assert game["frames"][one.number]["advice"]["rows"][1][3]  # what was played
    again = tmp_path / "again.html"
    assert main(["review", str(recorded), "--agent", "value", "--html", str(again)]) == 0
    assert again.read_bytes() == page.read_bytes()


def test_bad_input_is_one_line_and_leaves_nothing(
    recorded: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = recorded.read_text().splitlines()
    files = {
        "foreign": ['{"data": {"eventHistory": {}}}'],
        "cut": lines[:-1],
        "broken": [*lines[:5], *lines[7:]],
        "version": [lines[0].replace("catan-pz-game/1", "catan-pz-game/2"), *lines[1:]],
    }
    page = tmp_path / "pages" / "review.html"
    words = ["--agent", "value", "--html", str(page)]
    for name, text in files.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(text))
        assert main(["review", str(path), *words]) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert f"{name}.jsonl holds no recorded game" in told.err
        assert told.err.count("\n") == 1
    assert main(["review", str(recorded), "--agent", "heuristic", "--html", str(page)]) == 2
    assert "Error: --agent heuristic: agent 'heuristic' compares" in capsys.readouterr().err
    monkeypatch.setattr(Path, "write_text", _no_space)
    assert main(["review", str(recorded), *words]) == 1
    assert capsys.readouterr().err == f"Error: {page}: No space left on device\n"
    assert [*page.parent.iterdir()] == []


def _no_space(*_given: Any, **_named: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
