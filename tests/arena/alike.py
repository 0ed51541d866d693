"""Games played in several ways, which must be the same game by game and record by record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from catan_pz.arena.records import record_path
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame

Way = Callable[[MatchConfig], Iterable[GameResult]]


def played_alike(
    ways: Mapping[str, Way],
    config: MatchConfig,
    scheduled: Sequence[ScheduledGame],
    folder: Path,
) -> list[GameResult]:
    """The results, by number, of games that all ways play alike.

    Args:
        ways: each plays all games; their records go into a folder of the way's name.
        config: of the match.
        scheduled: the games.
        folder: for the records.
    """
    played: list[list[GameResult]] = []
    for way, play in ways.items():
        (folder / way).mkdir()
        games = play(replace(config, records=folder / way))
        played.append(sorted(games, key=lambda game: game.number))
    first, *others = ways
    assert len(played[0]) == len(scheduled)
    for way, games in zip(others, played[1:], strict=True):
        assert games == played[0]
        for game in scheduled:
            one, other = (record_path(folder / k, game.number) for k in (way, first))
            assert one.read_bytes() == other.read_bytes()
    return played[0]
