"""Matches and tournaments between agents."""

import math
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

from catan_pz import __version__
from catan_pz.agents.batch import BatchAgent
from catan_pz.arena.batched import play_games
from catan_pz.arena.entrants import AgentSpec, Entrant, as_entrants
from catan_pz.arena.progress import Bar
from catan_pz.arena.results import FORFEIT, GameResult, Result, complete
from catan_pz.arena.schedule import Fixture, Lineup, Schedule, even_lineups
from catan_pz.arena.single import Setting, play_game, warm_up
from catan_pz.arena.store import Store, header_of
from catan_pz.arena.workers import Pool, Task
from catan_pz.checks import check_seed
from catan_pz.rules import Rules


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while games were played; the message says what was saved, and how to go on.

    Attributes:
        games: games that were done.
        path: the file that holds their results, or None.
    """

    def __init__(self, games: int, total: int, path: Path | None) -> None:
        kept = "none are saved, as no file of results was given"
        if path is not None:
            kept = f"saved in {path}; the same call goes on from there"
        super().__init__(f"stopped after {games:,} of {total:,} games: {kept}")
        self.games = games
        self.path = path


def play_match(
    agents: Sequence[AgentSpec],
    games: int = 1000,
    rules: Rules | str | None = None,
    seed: int = 0,
    *,
    workers: int = 1,
    seconds_per_decision: float | None = None,
    results: str | os.PathLike[str] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Result:
    """Play games between the agents of one line-up, in all their seatings alike.

    Each seed is played once in every distinct seating, on the same board and with the same
    dice. Results depend on agents, rules and seed alone, not on `workers` or on how often the
    match was broken off, unless time is limited.

    Args:
        agents: (P,) one for each player: an `Agent`, a name for `agents.load`, or a pair of a
            name and one of these or a function that makes an agent. The same one may be
            given several times.
        games: how many at least; the last block of seatings is completed.
        rules: a `Rules`, a preset's name, or None for the base game of that many players.
        seed: from 0 to 2**64 - 1.
        workers: processes that play. With 1 and no limit of time, games are played in this
            process.
        seconds_per_decision: more than this forfeits a game; games are then played one by
            one, in processes that are ended if an agent doesn't answer.
        results: file to which each result is appended as it comes. If it holds results of
            the same match, these games aren't played again.
        records: folder for recorded games, made if need be: one file of JSON lines a game.
        progress: whether to show a bar; None for one where there is a terminal.
        **options: replace single options of the rules.

    Returns:
        The result.

    Raises:
        ValueError: names the option, its value and what is allowed; or the file of results
            is of another match.
        Interrupted: by Ctrl-C.
    """
    entrants, places = as_entrants(agents)
    rules = _rules_for(len(places), rules, options)
    if len(places) != rules.num_players:
        raise ValueError(
            f"agents={[entrants[k].name for k in places]!r} is not possible; allowed: "
            f"{rules.num_players} of them, one for each player of the rules"
        )
    return _play(
        entrants,
        [tuple(sorted(places))],
        games,
        rules,
        seed,
        workers=workers,
        seconds_per_decision=seconds_per_decision,
        results=results,
        records=records,
        progress=progress,
    )


def play_tournament(
    agents: Sequence[AgentSpec],
    games: int = 1000,
    rules: Rules | str | None = None,
    seed: int = 0,
    *,
    lineups: Sequence[Sequence[str]] | None = None,
    workers: int = 1,
    seconds_per_decision: float | None = None,
    results: str | os.PathLike[str] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Result:
    """Play a match for every line-up of the agents, all on the same seeds.

    Args:
        agents: the different agents, given as for `play_match`.
        games: of each line-up at least.
        rules: a `Rules`, a preset's name, or None for the base game for four.
        seed: from 0 to 2**64 - 1.
        lineups: names of those who play together, one list for each match. By default all
            choices of as many different agents as there are players; with fewer agents than
            players, all line-ups with as equal numbers of copies as can be.
        workers: processes that play.
        seconds_per_decision: more than this forfeits a game.
        results: file to which each result is appended as it comes.
        records: folder for recorded games.
        progress: whether to show a bar.
        **options: replace single options of the rules. All these are as for `play_match`.

    Returns:
        The result; `Result.only` gives the part of one line-up.

    Raises:
        ValueError: names the option, its value and what is allowed; or the file of results
            is of another tournament.
        Interrupted: by Ctrl-C.
    """
    entrants, places = as_entrants(agents)
    if len(places) != len(entrants) or len(entrants) < 2:
        raise ValueError(
            f"agents={[entrants[k].name for k in places]!r} is not possible; allowed: two or "
            "more different ones"
        )
    rules = Rules.make(rules, **options)
    chosen = even_lineups(len(entrants), rules.num_players)
    if lineups is not None:
        chosen = _lineups(lineups, [entrant.name for entrant in entrants], rules.num_players)
    return _play(
        entrants,
        chosen,
        games,
        rules,
        seed,
        workers=workers,
        seconds_per_decision=seconds_per_decision,
        results=results,
        records=records,
        progress=progress,
    )


def _rules_for(count: int, rules: Rules | str | None, options: dict[str, Any]) -> Rules:
    if rules is None and "num_players" not in options and 2 <= count <= 4:
        options = {"num_players": count, **options}
    return Rules.make(rules, **options)


def _lineups(given: Sequence[Sequence[str]], names: list[str], num_players: int) -> list[Lineup]:
    found: list[Lineup] = []
    for one in given:
        if isinstance(one, str) or len(one) != num_players or not set(one) <= set(names):
            raise ValueError(
                f"line-up {one!r} is not possible; allowed: {num_players} of the names {names}"
            )
        lineup = tuple(sorted(names.index(name) for name in one))
        if lineup in found:
            raise ValueError(f"line-up {one!r} is given twice")
        found.append(lineup)
    if not found:
        raise ValueError("lineups=[] is not possible; allowed: one line-up or more")
    return found


def _play(
    entrants: list[Entrant],
    lineups: list[Lineup],
    games: int,
    rules: Rules,
    seed: int,
    *,
    workers: int,
    seconds_per_decision: float | None,
    results: str | os.PathLike[str] | None,
    records: str | os.PathLike[str] | None,
    progress: bool | None,
) -> Result:
    _check_count("games", games)
    _check_count("workers", workers)
    _check_seconds(seconds_per_decision)
    seed = check_seed(seed)
    for entrant in entrants:
        entrant.make().check_rules(rules)
    names = tuple(entrant.name for entrant in entrants)
    schedule = Schedule(tuple(lineups), int(games))
    fixtures = list(schedule.fixtures())
    header = header_of(
        agents=[entrant.description for entrant in entrants],
        schedule=schedule,
        rules=rules,
        seed=seed,
        seconds_per_decision=seconds_per_decision,
        version=__version__,
    )
    folder = None if records is None else Path(records)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    setting = Setting(names, rules, seed, seconds_per_decision, folder)
    store = Store(results, header, fixtures, names)
    waiting = [fixture for fixture in fixtures if fixture.number not in store.done]
    try:
        with Bar(len(fixtures), len(store.done), progress) as bar:
            for game in _results(setting, entrants, waiting, workers):
                store.add(game)
                bar.advance(forfeit=game.end == FORFEIT)
    except KeyboardInterrupt:
        raise Interrupted(len(store.done), len(fixtures), store.path) from None
    finally:
        store.close()
    return complete(names, schedule, rules, seed, store.done.values())


def _results(
    setting: Setting, entrants: list[Entrant], waiting: list[Fixture], workers: int
) -> Iterator[GameResult]:
    """Play games, yielding results as they come."""
    if not waiting:
        return
    untimed = setting.seconds_per_decision is None
    batched = [f for f in waiting if untimed and all(entrants[k].is_batched for k in f.seats)]
    together = {fixture.number for fixture in batched}
    others = [fixture for fixture in waiting if fixture.number not in together]
    if workers == 1 and untimed:
        agents = [entrant.make() for entrant in entrants]
        warm_up(setting, agents)
        many = play_games(setting, batched, cast(list[BatchAgent], agents))
        yield from chain(many, (play_game(setting, fixture, agents) for fixture in others))
        return
    share = math.ceil(len(batched) / workers)
    tasks = [
        Task(tuple(batched[k : k + share]), batched=True)
        for k in range(0, len(batched), max(1, share))
    ]
    tasks += [Task((fixture,), batched=False) for fixture in others]
    pool = Pool(setting, entrants, workers)
    try:
        yield from pool.play(tasks)
    finally:
        pool.close()


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"option {name}={value!r} is not possible; allowed: an int from 1")


def _check_seconds(value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError(
            f"option seconds_per_decision={value!r} is not possible; allowed: None, or a number "
            "above 0"
        )
