"""Counts an agent's offers, acceptances and refusals in some games.

    python examples/trades.py heuristic --games 50
    python examples/trades.py runs/ppo-trade/model.npz --against heuristic --games 200
    python examples/trades.py value --games 200 --plot trades.png

The agent sits in each seat by turns, against agents of another name.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from catan_pz import Game, agents, describe_action
from catan_pz.actions import RESOURCE_NAMES, bundle_to_dict
from catan_pz.agents.network import NetworkAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.report import save_plot
from catan_pz.checks import check_count
from catan_pz.events import Event, EventKind, Events
from catan_pz.rules import Rules
from catan_pz.terms import NUM_RESOURCES
from catan_pz.training.console import run_program

console = Console()
ANSWERS = (("accept", "accepted"), ("reject", "refused"), ("offer", "countered"))
DIGITS = re.compile(r"\d+")


class Trades:
    """The trades of one seat, counted while games are played.

    Attributes:
        games: that were watched.
        made: offers by what they give and get.
        closed: of these, those that ended in a trade on these terms.
        answers: to offers of others: accept, reject, or offer (a counter-offer).
        given, got: cards in all trades of the seat's own turns.
    """

    def __init__(self) -> None:
        self.games = 0
        self.made: Counter[str] = Counter()
        self.closed: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.given = np.zeros(NUM_RESOURCES, np.int64)
        self.got = np.zeros(NUM_RESOURCES, np.int64)

    def watch(self, game: Game, seat: int) -> None:
        """Count a seat's trades in a game."""
        self.games += 1

        def listen(_game: Game, events: Events) -> None:
            decision = events[0]
            if decision.seat != seat:
                return
            kind = describe_action(decision.what)["kind"]
            kind = "offer" if kind == "compose_send" else kind
            if decision.other != seat:  # another's turn
                if kind in ("accept", "reject", "offer"):
                    self.answers[kind] += 1
            elif kind == "offer":
                gives = cards_of(event for event in events if event.kind == EventKind.OFFER_GIVES)
                asks = cards_of(event for event in events if event.kind == EventKind.OFFER_ASKS)
                self.made[terms(gives, asks)] += 1
            elif kind == "close_with":
                given = [event for event in events if event.kind == EventKind.GIVEN]
                gave = cards_of(event for event in given if event.seat == seat)
                taken = cards_of(event for event in given if event.seat != seat)
                self.given += gave
                self.got += taken
                self.closed[terms(gave, taken)] += 1

        game.listeners.append(listen)

    def draw(self, figure: Any) -> None:
        """Draw offers and trades by size, the answers, and the cards by resource."""
        axes = figure.subplots(1, 3)
        sizes = [Counter(), Counter()]
        for counted, by_size in zip((self.made, self.closed), sizes, strict=True):
            for offer, count in counted.items():
                gives, asks = (sum(map(int, DIGITS.findall(side))) for side in offer.split(" for "))
                by_size[f"{gives} for {asks}"] += count
        answers = {name: self.answers[kind] for kind, name in ANSWERS}
        cards = self.given, self.got
        groups = (
            ("offers a game, cards for cards", [*sizes[0]], sizes, ("made", "traded")),
            ("answers a game", [*answers], (answers,), ("",)),
            ("cards a game, in its own turns", RESOURCE_NAMES, cards, ("given", "got")),
        )
        for axis, (title, labels, series, names) in zip(axes, groups, strict=True):
            for k, (counts, name) in enumerate(zip(series, names, strict=True)):
                keys = range(len(labels)) if isinstance(counts, np.ndarray) else labels
                heights = [counts[key] / self.games for key in keys]
                axis.bar(np.arange(len(labels)) + 0.4 * k, heights, 0.8 / len(series), label=name)
            axis.set_xticks(np.arange(len(labels)) + 0.2 * (len(series) - 1), labels)
            axis.set_title(title)
            if len(series) > 1:
                axis.legend(frameon=False)

    def show(self) -> None:
        """Print the counts."""
        made, closed = self.made.total(), self.closed.total()
        asked = self.answers.total()
        console.print(
            f"{self.games} games: {made / self.games:.1f} offers and {closed / self.games:.1f} "
            f"trades in its own turns a game; {asked / self.games:.1f} offers of others answered"
        )
        for kind, name in ANSWERS:
            console.print(f"  {name:<10} {100 * self.answers[kind] / max(1, asked):5.1f} %")
        grid = Grid("resource", "given", "got", title="cards in trades of its own turns")
        for name, given, got in zip(RESOURCE_NAMES, self.given, self.got, strict=True):
            grid.add_row(name, f"{given:,}", f"{got:,}")
        console.print(grid)
        grid = Grid("offer", "made", "traded on these terms", title="most frequent offers")
        for offer, count in self.made.most_common(8):
            grid.add_row(offer, f"{count:,}", f"{self.closed[offer]:,}")
        console.print(grid)


def cards_of(events: Iterable[Event]) -> np.ndarray:
    """(R,) cards that events name."""
    cards = np.zeros(NUM_RESOURCES, np.int64)
    for event in events:
        cards[event.what] += event.amount
    return cards


def terms(given: np.ndarray, got: np.ndarray) -> str:
    """The cards (R,) of both sides in words."""
    sides = (bundle_to_dict(cards).items() for cards in (given, got))
    return " for ".join(" + ".join(f"{n} {name}" for name, n in side) for side in sides)


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("agent", help="a model file (.npz), or the name of an agent")
    add("--against", default="heuristic", help="name of the others")
    add("--games", type=int, default=100, help="games to play")
    add("--players", type=int, default=4, help="players, where the agent is no model")
    add("--seed", type=int, default=0, help="of boards, dice and draws")
    add("--plot", type=Path, help="file for a picture, .png or .svg")
    options = parser.parse_args(arguments)
    check_count("games", options.games)
    return options


def main(arguments: Sequence[str] | None = None) -> Trades:
    """Play the games; the counts are returned and printed."""
    options = parse_options(arguments)
    agent, other = agents.load(options.agent), agents.load(options.against)
    rules = Rules(num_players=options.players)
    if isinstance(agent, NetworkAgent):
        rules = Rules.from_dict(agent.model.rules)
    if not rules.trading:
        raise ValueError(f"agent {options.agent!r} was trained without trade between players")
    trades = Trades()
    won = 0
    for number in track(range(options.games), "games", console=console):
        seat, seed = number % rules.num_players, options.seed + number
        game = Game(rules, seed)
        players = [other] * rules.num_players
        players[seat] = agent
        table = Table(game, players, seat_seeds(seed, rules.num_players))
        trades.watch(game, seat)
        won += table.play() == seat
    console.print(f"{options.agent} won {won} of {options.games} games against {options.against}")
    trades.show()
    if options.plot:
        save_plot(options.plot, 11, 3.4, trades.draw)
    return trades


if __name__ == "__main__":
    run_program(main)
