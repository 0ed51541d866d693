"""Speed of the arena, and what pairing saves: python -m tests.benchmarks arena

Matches of random agents, each asked for many games by one call, and the same games one by
one; in seconds of CPU time, of one core. Games whose decisions are gathered by a batcher, against
the same games one by one. Then by how much the standard error of a difference between two agents
shrinks as their games are paired by seeds.
"""

from collections.abc import Iterator
from math import sqrt
from time import process_time
from typing import Any

from catan_pz import RandomAgent, Rules, agents, arena
from catan_pz.arena.executors import Task, play_task
from catan_pz.arena.schedule import MatchConfig, Schedule
from tests.arena.players import Builder
from tests.benchmarks.measuring import options, print_table

RULE_SETS: dict[str, dict[str, Any]] = {
    "4 players, no trade between players": {"trading": False},
    "4 players": {},
    "2 players, one_v_one": {"rules": "one_v_one"},
}


def played(config: MatchConfig, task: Task, players: list[Any]) -> tuple[float, int, int]:
    list(play_task(config, Task(task.games[:1], task.way), players))  # compiles
    start = process_time()
    games = list(play_task(config, task, players))
    return process_time() - start, len(games), sum(sum(game.decisions) for game in games)


def speeds(batched: int, single: int) -> Iterator[list[str]]:
    for title, changes in RULE_SETS.items():
        rules = Rules.make(**changes)
        lineup = tuple(range(rules.num_players))
        scheduled = tuple(Schedule((lineup,), batched).games())
        config = MatchConfig(tuple("abcd"[: len(lineup)]), rules, 0)
        row = [title]
        for task in (Task(scheduled, "batched"), Task(scheduled[:single], "single")):
            seconds, games, decisions = played(config, task, [RandomAgent() for _ in lineup])
            row += [f"{games / seconds:,.0f}", f"{decisions / seconds:,.0f}"]
        yield row


def gathering(gathered: int, single: int, turns: int) -> Iterator[list[str]]:
    """What batchers save: seconds of CPU time for a game's first turns."""
    rules = Rules.make("charlesworth", max_turns=turns)
    config = MatchConfig(("searcher", "bare"), rules, 0)
    scheduled = tuple(Schedule(((0, 1, 1, 1),), gathered).games())
    for name in ("charlesworth", "charlesworth:simulations=16"):
        players = [agents.load(name), agents.load("charlesworth")]
        tasks = Task(scheduled, "gathered"), Task(scheduled[:single], "single")
        measured = [played(config, task, players) for task in tasks]
        together, alone = (seconds / games for seconds, games, _ in measured)
        yield [f"`{name}`", f"{together:.3f}", f"{alone:.3f}", f"{alone / together:.1f}"]


def pairing(games: int) -> None:
    """What pairing by seeds saves for two agents, each against three that play at random."""
    players: list[Any] = [("builder", Builder()), ("random again", "random")]
    results = [
        arena.play_match([one, *["random"] * 3], games, seed=0, trading=False, progress=False)
        for one in players
    ]
    found = arena.compare(*results)
    assert found.interval is not None
    paired = (found.interval[1] - found.interval[0]) / 2 / 1.96
    # Were they from different seeds.
    chances = [
        (x.win_rate(n), x.tally(n).seats) for x, (n, _) in zip(results, players, strict=True)
    ]
    unpaired = sqrt(sum(rate * (1 - rate) / seats for rate, seats in chances))
    print(found)
    print(
        f"Standard error of the difference: paired {100 * paired:.2f}, unpaired "
        f"{100 * unpaired:.2f} percentage points; pairing is worth "
        f"{(unpaired / paired) ** 2:.2f} times the games."
    )


def main() -> None:
    given = options(
        __doc__,
        batched=(4800, "games in batches"),
        single=(96, "games one by one"),
        gathered=(64, "games whose decisions are gathered"),
        alone=(4, "of the gathered games, one by one"),
        turns=(6, "of a gathered game"),
        paired=(4000, "games of each of the two agents"),
    )
    header = ("rules", "games/s", "decisions/s", "one by one: games/s", "decisions/s")
    print_table(header, speeds(given.batched, given.single))
    header = f"first seat, {given.turns} turns", "gathered: s/game", "one by one: s/game", "ratio"
    print_table(header, gathering(given.gathered, given.alone, given.turns))
    pairing(given.paired)
