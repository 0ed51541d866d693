"""Games at a catanatron table, with a stand-in for its engine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from catan_pz import arena
from catan_pz.arena.config import MatchConfig
from catan_pz.arena.schedule import ScheduledGame
from catan_pz.bridges.catanatron import table
from catan_pz.rules import Rules


class SlowGame:
    """Each move ends a turn, those of the set-up included; nobody ever wins."""

    def __init__(self, count: int) -> None:
        self.state = SimpleNamespace(
            colors=list(range(count)),
            current_player_index=0,
            num_turns=0,
            player_state={f"P{p}_ACTUAL_VICTORY_POINTS": 2 for p in range(count)},
        )

    def winning_color(self) -> None:
        return None

    def execute(self, _action: Any) -> None:
        self.state.num_turns += 1


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("most", [1, 30])
def test_turns_of_the_set_up_do_not_count_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch, count: int, most: int
) -> None:
    player = SimpleNamespace(decide=lambda *_given: None)
    monkeypatch.setattr(table, "deal", lambda *_given: SlowGame(count))
    monkeypatch.setattr(table, "_player", lambda *_given: player)
    monkeypatch.setattr(table, "moves_offered", lambda _game: [])
    monkeypatch.setattr(table, "set_playable_actions", lambda *_given: None)
    rules = Rules(num_players=count, trading=False, max_turns=most)
    config = MatchConfig(tuple("abcd"[:count]), rules, 1)
    result = table.play_game(config, ScheduledGame(0, 0, 0, tuple(range(count))), [None] * count)
    assert (result.end, result.turns) == ("truncated", most)


@pytest.mark.parametrize(
    ("option", "value"),
    [("seconds_per_decision", 1.0), ("records", "games"), ("true_state", ["b"])],
)
def test_what_a_match_there_has_not_is_refused(option: str, value: Any, tmp_path: Path) -> None:
    given = tmp_path / value if option == "records" else value
    rules = Rules(num_players=2, trading=False)
    with pytest.raises(ValueError, match=f"option {option}=.* is not possible; allowed: "):
        arena.play_match(
            [("a", "random"), ("b", "random")],
            2,
            rules,
            executor=table.CatanatronTables(),
            **{option: given},
        )
