"""Matches and tournaments between agents."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from catan_pz.arena.entrants import AgentSpec, Entrant, as_entrants, shown_state
from catan_pz.arena.executors import Executor, make_executor, make_tasks
from catan_pz.arena.forfeits import ForfeitWarning
from catan_pz.arena.records import recording
from catan_pz.arena.report import forfeit_lines
from catan_pz.arena.results import FORFEIT, GameResult, Result, result_of_complete_blocks
from catan_pz.arena.results_file import found_seed, header_of, results_file
from catan_pz.arena.schedule import Lineup, MatchConfig, Schedule, even_lineups, spread
from catan_pz.checks import check_count, check_flag, check_number, check_seed, not_possible
from catan_pz.files import remove_drafts
from catan_pz.game.game import drawn_seed
from catan_pz.progress import progress_bar
from catan_pz.rules import Rules


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a match; the message says what was saved, and how to continue."""

    def __init__(self, games: int, total: int, path: Path | None) -> None:
        kept = "none is saved, as no file of results was given"
        if path is not None:
            kept = f"saved in {path}; the same call resumes the match"
        super().__init__(f"stopped after {games:,} of {total:,} games: {kept}")


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Options for playing and recording the games of a match.

    Attributes:
        workers: concurrent tasks; None for 1, for one per CPU of a Ray cluster, or for as many as
            the executor has.
        executor: where games are played: "inline" (in this process), "processes" (of this
            machine), "ray" (on a Ray cluster: see `RayExecutor`), or an `Executor`. None for
            "inline" with one worker and no time limit, "processes" otherwise.
        seconds_per_decision: time limit; exceeding it forfeits a game. Games are then played one
            by one, in processes, which are ended if an agent doesn't answer.
        results: file to which each result is appended as its game ends. Games with results there
            are not played again.
        records: folder for recorded games, created if need be: one file of JSON lines per game.
            Games of the same match there are recorded again, those of another are refused. One
            match at a time writes to it.
        most_records: most games recorded, evenly spread; None for all.
        progress: whether to show a progress bar; None for one on a terminal.
        true_state: names of agents for which `View.resample` returns the true state of the game,
            hidden cards and chance included; in results "(true state)" follows their names.
        stop: called with the results so far, by number; returns whether the match ends now.
        isolate: whether each agent plays in a separate process, which only gets its views. Agents
            must then be given as for `executor="processes"`.
    """

    workers: int | None = None
    executor: str | Executor | None = None
    seconds_per_decision: float | None = None
    results: str | os.PathLike[str] | None = None
    records: str | os.PathLike[str] | None = None
    most_records: int | None = None
    progress: bool | None = None
    true_state: Sequence[str] = ()
    isolate: bool = False
    stop: Callable[[Mapping[int, GameResult]], bool] | None = None

    def __post_init__(self) -> None:
        if self.seconds_per_decision is not None:
            check_number("seconds_per_decision", self.seconds_per_decision, above=0)
        if self.most_records is not None:
            check_count("most_records", self.most_records)
        if self.progress is not None:
            check_flag("progress", self.progress)
        check_flag("isolate", self.isolate)

    def with_keywords(self, keywords: dict[str, Any]) -> tuple["MatchOptions", dict[str, Any]]:
        """These with some replaced, and the remaining keywords, which are options of the rules."""
        own = {field.name for field in fields(self)} & keywords.keys()
        others = {name: value for name, value in keywords.items() if name not in own}
        return replace(self, **{name: keywords[name] for name in own}), others


_DEFAULTS = MatchOptions()


def play_match(
    agents: Sequence[AgentSpec],
    games: int = 1000,
    rules: Rules | str | None = None,
    seed: int | None = None,
    *,
    match: MatchOptions = _DEFAULTS,
    **options: Any,
) -> Result:
    """Play games between the agents of one line-up, equally many in each seating.

    Each seed is played once in every distinct seating, on the same board and with the same
    dice. Results depend only on agents, rules and seed, not on the executor, on `workers` or on
    interruptions, unless time is limited.

    Args:
        agents: (P,) one for each player: an `Agent`, a name for `agents.load`, or a pair of a
            name and one of these or a function that makes an agent. The same one may be
            given several times.
        games: least number of games; the last block of seatings is completed.
        rules: a `Rules`, a preset's name, or None for the base game for that many players.
        seed: from 0 to 2**64 - 1. None for that of the match in `results` if it continues, else
            one drawn from the system's randomness, which the result stores. Agents that know the
            seed can deal every game of the match, so agents that you don't trust must not be able
            to guess it.
        match: options of the match.
        **options: replace single options of `MatchOptions`, such as `workers=4` or
            `results="match.jsonl"`, and of the rules.

    Warns:
        ForfeitWarning: for each agent that forfeited games, with their number and the first's
            reason.

    Raises:
        ValueError: also if the file of results or a recorded game in the folder is from another
            match, or another running match writes there.
        ImportError, ConnectionError, RuntimeError: as `RayExecutor`, for "ray".
        Interrupted: by Ctrl-C.
    """
    match, options = match.with_keywords(options)
    entrants, places = as_entrants(agents, isolate=match.isolate)
    if rules is None and "num_players" not in options and 2 <= len(places) <= 4:
        options["num_players"] = len(places)
    rules = Rules.of(MatchOptions, rules, options)
    if len(places) != rules.num_players:
        allowed = f"{rules.num_players} of them, one for each player of the rules"
        raise not_possible("agents", [entrants[k].name for k in places], allowed)
    schedule = Schedule((tuple(sorted(places)),), check_count("games", games))
    return play_schedule(entrants, schedule, rules, seed, match)


def play_tournament(
    agents: Sequence[AgentSpec],
    games: int = 1000,
    rules: Rules | str | None = None,
    seed: int | None = None,
    *,
    lineups: Sequence[Sequence[str]] | None = None,
    match: MatchOptions = _DEFAULTS,
    **options: Any,
) -> Result:
    """Play a match for every line-up of the agents, all on the same seeds.

    Arguments, warnings and errors that aren't listed are those of `play_match`.

    Args:
        agents: the different agents.
        games: least number of games of each line-up.
        rules: a `Rules`, a preset's name, or None for the base game for four.
        seed: from 0 to 2**64 - 1, or None.
        lineups: names of the agents of each match. By default all combinations of different
            agents for the players; with fewer agents than players, all line-ups in which the
            numbers of copies differ by at most one.
        match: options of the matches.
        **options: replace single options of `MatchOptions` and of the rules.

    Returns:
        The result; `Result.only` gives the part of one line-up.
    """
    match, options = match.with_keywords(options)
    entrants, places = as_entrants(agents, isolate=match.isolate)
    names = [entrants[k].name for k in places]
    if len(places) != len(entrants) or len(entrants) < 2:
        raise not_possible("agents", names, "two or more different ones")
    rules = Rules.of(MatchOptions, rules, options)
    chosen = even_lineups(len(entrants), rules.num_players)
    if lineups is not None:
        chosen = [_lineup(one, names, rules.num_players) for one in lineups]
        if not chosen or len(set(chosen)) < len(chosen):
            raise not_possible("lineups", lineups, "one or more, each given once")
    schedule = Schedule(tuple(chosen), check_count("games", games))
    return play_schedule(entrants, schedule, rules, seed, match)


def _lineup(given: Sequence[str], names: list[str], num_players: int) -> Lineup:
    if isinstance(given, str) or len(given) != num_players or not all(x in names for x in given):
        raise not_possible("line-up", given, f"{num_players} of the names {names}")
    return tuple(sorted(map(names.index, given)))


def play_schedule(
    entrants: list[Entrant],
    schedule: Schedule,
    rules: Rules,
    seed: int | None,
    match: MatchOptions,
) -> Result:
    """Play the games of a schedule, as `play_match` and `play_tournament` do."""
    executor = make_executor(match.executor, match.workers, match.seconds_per_decision)
    entrants = shown_state(entrants, match.true_state)
    if seed is None:
        seed = found_seed(match.results)
    seed = drawn_seed() if seed is None else check_seed(seed)
    for entrant in entrants:
        entrant.check_rules(rules)
    scheduled = list(schedule.games())
    config = MatchConfig(
        names=tuple(entrant.name for entrant in entrants),
        rules=rules,
        seed=seed,
        seconds_per_decision=match.seconds_per_decision,
        records=None if match.records is None else Path(match.records),
        true_state=tuple(k for k, entrant in enumerate(entrants) if entrant.sees_state),
        recorded=frozenset(spread([game.number for game in scheduled], match.most_records)),
    )
    header = header_of(config, schedule, [entrant.description for entrant in entrants])
    with recording(config, scheduled), results_file(match.results, header, scheduled) as file:
        try:
            if config.records is not None:
                remove_drafts(config.records)  # from a killed match
            missing = [game for game in scheduled if game.number not in file.games]
            if match.stop is not None and file.games and match.stop(file.games):
                missing = []
            tasks = make_tasks(config, entrants, missing, executor.workers)
            done, forfeits = len(file.games), 0
            with (
                progress_bar(match.progress) as bar,
                closing(executor.run(config, entrants, tasks)) as results,
            ):
                shown = bar.add_task("games", total=len(scheduled), completed=done, note="")
                for game in results:
                    file.add(game)
                    forfeits += game.end == FORFEIT
                    note = f"{forfeits:,} forfeited" if forfeits else ""
                    bar.update(shown, advance=1, note=note)
                    if match.stop is not None and match.stop(file.games):
                        break
        except KeyboardInterrupt:
            raise Interrupted(len(file.games), len(scheduled), file.path) from None
    result = result_of_complete_blocks(
        config.names, schedule.lineups, rules, seed, file.games.values()
    )
    for line in forfeit_lines(result):
        warnings.warn(line, ForfeitWarning, stacklevel=3)
    return result
