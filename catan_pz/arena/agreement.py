"""Recorded decisions compared with an agent's choices, and the agent's win probabilities."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np

from catan_pz.actions import is_offering
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.arena.report import FAINT, INK
from catan_pz.arena.results import percent, percents, table
from catan_pz.arena.statistics import LEVEL, Interval, normal_quantile, wilson, wilson_by_blocks
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.terms import Phase

BINS: Final = 10
OFFER_MADE: Final = "offer"
"""The kind of decision in which an offer was made, or a card added to one."""


class ComparedDecision(NamedTuple):
    """A recorded decision, compared with an agent's advice.

    Attributes:
        game: number of its game.
        kind: `OFFER_MADE`, or the phase of the decision.
        won: whether its player won; None without a winner.
        legal: number of legal actions, at least 2.
        rank: rank of the action played in the advice, from 0; None if the advice lacks it.
        regret: its loss of win probability by the agent's own value; None without one.
    """

    game: int
    kind: str
    won: bool | None
    legal: int
    rank: int | None
    regret: float | None


class Estimate(NamedTuple):
    """An agent's win probability for the player who begins a turn, and whether that player won."""

    game: int
    probability: float
    won: bool


def compare_record(
    record: GameRecord,
    agent: Agent | str,
    *,
    number: int = 0,
    seed: int = 0,
    left_out: Collection[str] = (),
) -> Iterator[ComparedDecision | Estimate]:
    """Ask an agent at each decision of a recorded game with several legal actions.

    The agent is asked in the seat to move, with its view; at the start of each turn also for the
    win probability, if the game has a winner. If no offer was made, the agent's own offers are left
    out: people make few, and the turn continues after them.

    Args:
        record: the game.
        agent: the agent, or its name.
        number: number of the game.
        seed: seed of the agent's random streams.
        left_out: marks of decisions that aren't compared.
    """
    winner, game = record.result.get("winner"), Game.from_snapshot(record.start)
    seeds = seat_seeds(seed, game.rules.num_players)
    advisers = [Adviser(game, seat, agent, one) for seat, one in enumerate(seeds)]
    try:
        turn = -1
        for _, decision in zip(record.replay(game), record.decisions, strict=False):
            seat, legal = game.player, game.legal_actions()
            offers = is_offering(decision.action)
            legal = legal if offers else legal[~is_offering(legal)]
            question = advisers[seat].question()
            if game.phase == Phase.ROLL and turn < game.turn and winner is not None:
                turn = game.turn
                found = question.win_probabilities()
                if found is not None:
                    yield Estimate(number, float(found[seat]), seat == winner)
            if len(legal) < 2 or not set(left_out).isdisjoint(decision.marks):
                continue
            advice = question.advice()
            counted = np.isin(advice.actions, legal)
            if not counted.any():
                continue
            place = np.flatnonzero(advice.actions[counted] == decision.action)
            rank, regret = int(place[0]) if len(place) else None, None
            worths, visits = advice.win_probabilities, advice.visits
            # Actions that a search has not visited have no value.
            known = rank is not None and (visits is None or visits[counted][rank] > 0)
            if worths is not None and known:
                regret = float(worths[counted].max() - worths[counted][rank])
            kind = OFFER_MADE if offers else game.phase.name.lower()
            won = None if winner is None else seat == winner
            yield ComparedDecision(number, kind, won, len(legal), rank, regret)
    finally:
        for adviser in advisers:
            adviser.close()


class Share(NamedTuple):
    """The rate of an event, with a 95 % interval by games (Wilson's for a single game)."""

    rate: float
    interval: Interval

    @classmethod
    def of(cls, trials: Iterable[tuple[int, bool]]) -> Self:
        """From trials: the game number and result of each."""
        games: dict[int, list[bool]] = defaultdict(list)
        for game, hit in trials:
            games[game].append(hit)
        won, asked = [sum(hits) for hits in games.values()], [*map(len, games.values())]
        rate = sum(won) / sum(asked)
        if len(games) < 2:
            return cls(rate, wilson(sum(won), sum(asked), normal_quantile(LEVEL)))
        return cls(rate, wilson_by_blocks(won, asked, LEVEL))


def named(choices: Iterable[ComparedDecision], within: int) -> Share:
    """The share of actions played that are among an agent's first `within`."""
    return Share.of((c.game, c.rank is not None and c.rank < within) for c in choices)


def agreement_table(choices: Sequence[ComparedDecision]) -> str:
    """A table of agreement by kind of decision, for winners and for losers."""
    kinds = [*(phase.name.lower() for phase in Phase), OFFER_MADE]
    parts = {kind: [c for c in choices if c.kind == kind] for kind in kinds}
    parts |= {
        "winners": [c for c in choices if c.won],
        "losers": [c for c in choices if c.won is False],
    }
    rows = []
    for name, part in (parts | {"all": choices}).items():
        if not part:
            continue
        first, third = named(part, 1), named(part, 3)
        regrets = [c.regret for c in part if c.regret is not None]
        lost = f"{100 * np.mean(regrets):.2f}" if regrets else ""
        chance = float(np.mean([1 / c.legal for c in part]))
        numbers = (
            percent(first.rate),
            percents(first.interval),
            percent(third.rate),
            percent(chance),
            lost,
        )
        rows.append((name, f"{len(part):,}", *numbers))
    titles = ("decision", "number", "first choice", "95 % by games", "among its three")
    return table((*titles, "random action", "regret, points"), rows)


class Bin(NamedTuple):
    """Estimates within a tenth: their number, their mean, and the observed rate."""

    number: int
    mean: float
    won: Share


def calibration(estimates: Iterable[Estimate]) -> list[Bin]:
    """The estimates in ten bins, without empty ones."""
    bins: dict[int, list[Estimate]] = defaultdict(list)
    for one in estimates:
        bins[min(int(BINS * one.probability), BINS - 1)].append(one)
    return [
        Bin(
            len(part),
            float(np.mean([one.probability for one in part])),
            Share.of((one.game, one.won) for one in part),
        )
        for _, part in sorted(bins.items())
    ]


def brier_score(estimates: Sequence[Estimate]) -> float:
    """Mean squared error of probabilities (G. W. Brier, 1950): 0 is perfect."""
    return float(np.mean([(e.probability - e.won) ** 2 for e in estimates]))


def calibration_table(bins: Iterable[Bin]) -> str:
    """A table of bins."""
    rows = [
        (
            f"{one.number:,}",
            percent(one.mean),
            percent(one.won.rate),
            percents(one.won.interval),
        )
        for one in bins
    ]
    return table(("turns", "win probability", "won", "95 % by games"), rows)


def draw_calibration(axes: Any, bins: Sequence[Bin], agent: str) -> None:
    """Plot observed rates with intervals against the line of perfect estimates."""
    axes.plot([0, 100], [0, 100], color=FAINT, linewidth=1, linestyle=":")
    for one in bins:
        axes.plot(
            [100 * one.mean] * 2, [100 * end for end in one.won.interval], color=INK, linewidth=2
        )
    means, won = [100 * b.mean for b in bins], [100 * b.won.rate for b in bins]
    axes.plot(means, won, "o", color=INK, markersize=6)
    axes.set_xlabel(f"win probability by {agent}, %")
    axes.set_ylabel("won, % (95 % interval)")
    axes.grid(color="#e6e8eb")
    axes.set_axisbelow(True)
