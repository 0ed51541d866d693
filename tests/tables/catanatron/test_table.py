"""Games at a catanatron table, with a stand-in for its engine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from catan_pz import arena
from catan_pz.agents.random import RandomAgent
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.cli import main
from catan_pz.rules import Rules
from catan_pz.tables.catanatron import table
from catan_pz.tables.catanatron.players import AgentPlayer


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


class Player(AgentPlayer):
    """Plays any move or raises, and notes how it is told that the game ended."""

    def __init__(self, error: BaseException | None = None) -> None:
        super().__init__(0, "random")
        self.error = error
        self.told: list[tuple[Any, ...]] = []

    def leave(self, *told: Any) -> None:
        self.told.append(told)

    def decide(self, game: Any, offered: Any) -> None:
        if self.error is not None:
            raise self.error


def play(
    monkeypatch: pytest.MonkeyPatch, game: SlowGame, players: list[Player], most: int | None = 1
) -> GameResult:
    seated = iter(players)
    monkeypatch.setattr(table, "deal", lambda *_given: game)
    monkeypatch.setattr(table, "_player", lambda *_given: next(seated))
    monkeypatch.setattr(table.installed, "moves_offered", lambda _game: [])
    monkeypatch.setattr(table.installed, "set_playable_actions", lambda *_given: None)
    count = len(players)
    rules = Rules(num_players=count, trading=False, max_turns=most)
    config = MatchConfig(tuple("abcd"[:count]), rules, 1)
    scheduled = ScheduledGame(0, 0, 0, tuple(range(count)))
    return table.play_game(config, scheduled, [RandomAgent()] * count)


@pytest.mark.parametrize(("count", "most"), [(2, 1), (4, 30)])
def test_turns_of_the_set_up_do_not_count_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch, count: int, most: int
) -> None:
    players = [Player() for _ in range(count)]
    result = play(monkeypatch, SlowGame(count), players, most)
    assert (result.end, result.turns) == ("truncated", most)
    assert [one.told for one in players] == [[(None, (2,) * count, most, "truncated")]] * count


def test_a_forfeited_game_is_aborted_for_all_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [Player(RuntimeError("no idea")), Player()]
    result = play(monkeypatch, SlowGame(2), players)
    assert (result.end, result.offender, result.winner) == ("forfeit", 0, 1)
    assert [one.told for one in players] == [[(None, (2, 2), 0, "aborted")]] * 2


@pytest.mark.parametrize(
    ("option", "value"),
    [("seconds_per_decision", 1.0), ("records", "games"), ("true_state", ["b"])],
)
def test_what_a_match_there_has_not_is_refused(option: str, value: Any, tmp_path: Path) -> None:
    given = tmp_path / value if option == "records" else value
    rules = Rules(num_players=2, trading=False)
    with pytest.raises(ValueError, match=f"{option} must be "):
        arena.play_match(
            [("a", "random"), ("b", "random")],
            2,
            rules,
            executor=table.CatanatronTables(),
            **{option: given},
        )


class Bot(table.TableBot):
    """A bot that needs no catanatron."""

    def __init__(self, bot: str) -> None:
        self.bot, self.name, self.catanatron = bot, f"catanatron:{bot}", "3.3.0"


@pytest.mark.parametrize(("forfeited", "status"), [(0, 0), (1, 0), (2, 1)])
def test_the_command_tells_who_forfeited(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, forfeited: int, status: int
) -> None:
    """The bots, too; a match in which every game was forfeited is an error."""

    def play_game(config: MatchConfig, scheduled: ScheduledGame, _agents: Any) -> GameResult:
        seat = scheduled.seats.index(1) if scheduled.number < forfeited else None
        return GameResult(
            number=scheduled.number,
            lineup=scheduled.lineup,
            block=scheduled.block,
            seats=tuple(config.names[k] for k in scheduled.seats),
            winner=scheduled.seats.index(0),
            end="victory" if seat is None else "forfeit",
            offender=seat,
            reason="" if seat is None else "error: no idea",
            turns=9,
            points=(2, 2),
            decisions=(9, 9),
            seconds=(0.0, 0.0),
        )

    monkeypatch.setattr(table, "TableBot", Bot)
    monkeypatch.setattr(table, "play_game", play_game)
    monkeypatch.setattr(table, "table_rules", lambda count: Rules(num_players=count, trading=False))
    assert main(["catanatron", "--agent", "random", "--games", "2", "--seed", "1"]) == status
    out, errors = capsys.readouterr()
    told = f"catanatron:value forfeited {forfeited} of 2 games, the first because: error: no idea"
    assert (told in out) == (forfeited > 0)
    assert ("every game was forfeited" in errors) == (status == 1)
