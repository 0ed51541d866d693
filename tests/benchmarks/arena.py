"""Speed of the arena, and what pairing saves: python -m tests.benchmarks arena

Matches of random agents, each asked for many games by one call, and the same games one by
one; in seconds of CPU time, of one core. Games whose decisions are gathered by a batcher, against
the same games one by one. Then by how much the standard error of a difference between two agents
shrinks as their games are paired by seeds.
"""

import argparse
import time
from math import sqrt
from typing import Any

import numpy as np

from catan_pz import RandomAgent, Rules, agents, arena
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.executors import Task, play_task
from catan_pz.arena.games import play_game
from catan_pz.arena.results import Result
from catan_pz.arena.schedule import MatchConfig, Schedule
from tests.arena.players import Builder

RULE_SETS: dict[str, dict[str, Any]] = {
    "4 players, no trade between players": {"trading": False},
    "4 players": {},
    "2 players, one_v_one": {"rules": "one_v_one"},
}


def speeds(batched: int, single: int) -> None:
    """Games and decisions a second of CPU time, in batches and one by one."""
    print("| rules | games/s | decisions/s | one by one: games/s | decisions/s |")
    print("|---|---|---|---|---|")
    for title, options in RULE_SETS.items():
        rules = Rules.make(**options)
        lineup = tuple(range(rules.num_players))
        scheduled = list(Schedule((lineup,), batched).games())
        config = MatchConfig(tuple("abcd"[: len(lineup)]), rules, 0)
        players = [RandomAgent() for _ in lineup]
        list(play_game(config, scheduled[0], players))
        list(play_games(config, scheduled[:2], players))
        row = []
        for way in ("batched", "one by one"):
            start = time.process_time()
            if way == "batched":
                games = list(play_games(config, scheduled, players))
            else:
                games = [
                    one for game in scheduled[:single] for one in play_game(config, game, players)
                ]
            seconds = time.process_time() - start
            decisions = sum(sum(game.decisions) for game in games)
            row += [f"{len(games) / seconds:,.0f}", f"{decisions / seconds:,.0f}"]
        print(f"| {title} | {' | '.join(row)} |", flush=True)


def gathering(gathered: int, single: int, turns: int) -> None:
    """What batchers save: seconds of CPU time for a game's first turns."""
    rules = Rules.make("charlesworth", max_turns=turns)
    config = MatchConfig(("searcher", "bare"), rules, 0)
    scheduled = list(Schedule(((0, 1, 1, 1),), gathered).games())
    print(f"| first seat, {turns} turns | gathered: s/game | one by one: s/game | ratio |")
    print("|---|---|---|---|")
    for name in ("charlesworth", "charlesworth:simulations=16"):
        players = [agents.load(name), agents.load("charlesworth")]
        list(play_game(config, scheduled[0], players))
        seconds = []
        for count, way in ((gathered, "gathered"), (single, "single")):
            start = time.process_time()
            games = list(play_task(config, Task(tuple(scheduled[:count]), way), players))
            seconds.append((time.process_time() - start) / len(games))
        together, alone = seconds
        print(f"| `{name}` | {together:.3f} | {alone:.3f} | {alone / together:.1f} |", flush=True)


def width_unpaired(first: Result, second: Result, names_of: tuple[str, str]) -> float:
    """Standard error of the difference of two win rates, were they from different seeds."""
    variances = []
    for result, name in zip((first, second), names_of, strict=True):
        rate = result.win_rate(name)
        variances.append(rate * (1 - rate) / result.tally(name).seats)
    return sqrt(sum(variances))


def pairing(games: int) -> None:
    """What pairing by seeds saves for two agents, each against three that play at random."""
    players: list[Any] = [("builder", Builder()), ("random again", "random")]
    matches = [
        arena.play_match([one, *["random"] * 3], games, seed=0, trading=False, progress=False)
        for one in players
    ]
    found = arena.compare(*matches)
    assert found.interval is not None
    unpaired = width_unpaired(*matches, (found.first, found.second))
    paired = (found.interval[1] - found.interval[0]) / 2 / 1.96
    print(found)
    print(
        f"Standard error of the difference: paired {100 * paired:.2f}, unpaired "
        f"{100 * unpaired:.2f} percentage points; pairing is worth "
        f"{np.square(unpaired / paired):.2f} times the games."
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batched", type=int, default=4800)
    parser.add_argument("--single", type=int, default=96)
    parser.add_argument("--gathered", type=int, default=64)
    parser.add_argument("--alone", type=int, default=4, help="of the gathered games")
    parser.add_argument("--turns", type=int, default=6, help="of a gathered game")
    parser.add_argument("--paired", type=int, default=4000)
    options = parser.parse_args()
    speeds(options.batched, options.single)
    print()
    gathering(options.gathered, options.alone, options.turns)
    print()
    pairing(options.paired)


if __name__ == "__main__":
    main()
