"""The review of a recorded game, each decision by its player's information at the time.

Win probabilities are the value's, in games drawn from the exact belief of the seat to move. Luck is
the change of win probability by a roll, a theft or a purchase, minus its mean over all outcomes.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    BUY_DEVELOPMENT_CARD,
    COMPOSE_GIVE,
    END_TURN,
    NO_ACTION,
    OFFER,
    ROLL,
)
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.agents.value.agent import SETUP, judged_actions
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import shipped
from catan_pz.events import Events, outcome_code
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.game.view import View
from catan_pz.play.ending import counts_of
from catan_pz.progress import progress_bar
from catan_pz.review.offers import MOST_OFFERS, Offers, ReviewedOffer
from catan_pz.terms import Card, Phase

MOST_LISTED: Final = 10
"""Most costly decisions in a review."""

DRAWN: Final = 16
"""Games drawn for a decision."""

KINDS: Final = ("rolls", "thefts", "cards")
"""Kinds of chance."""

_SHORTLISTED: Final = 38
"""Decisions that the agent evaluates: placements, and those that lose most by the value."""

_CANDIDATES: Final = 4
"""Candidates for the best action, those of the highest value, besides offers."""

_LOOKS: Final = 12
"""Comparisons of the best action with the one played."""


class PricedDecision(NamedTuple):
    """A decision and its loss against a better action, in win probability by the agent."""

    number: int  # number of decisions before it
    turn: int
    seat: int
    played: int
    best: int
    loss: float
    error: float  # standard error of the loss
    value: float  # value of the action played


class Placement(NamedTuple):
    """A settlement of the set-up: its rank, from 1, among the legal ones by the value."""

    number: int
    seat: int
    action: int
    rank: int
    legal: int


@dataclass
class Review:
    """The review of a recorded game; P seats, N decisions.

    Attributes:
        agent: the name of the agent that evaluated decisions.
        luck: (P, 3) each seat's gain in win probability from chance, by `KINDS`.
        gains: (P,) each seat's gain in win probability from trades between players.
        counts: each seat's actual and expected counts, by name.
        win_probabilities: (N + 1, P) before each decision, by its player's information, and at the
            end, where the winner has 1.
        at_first_roll: (P,) after the set-up; None if the record begins later.
        placements: settlements of the set-up in their order.
        priced: decisions with a loss, the most costly first.
    """

    record: GameRecord
    agent: str
    luck: NDArray[np.float64]
    gains: NDArray[np.float64]
    counts: list[dict[str, float]]
    win_probabilities: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    at_first_roll: NDArray[np.float64] | None = None
    placements: list[Placement] = field(default_factory=list)
    priced: list[PricedDecision] = field(default_factory=list)

    @property
    def play(self) -> NDArray[np.float64]:
        """(P,) change of win probability from start to end minus luck, by all decisions."""
        change = self.win_probabilities[-1] - self.win_probabilities[0]
        return np.asarray(change - self.luck.sum(1))


def check_reviewer(agent: Agent) -> None:
    """Refuse an agent that can't evaluate decisions."""
    if type(agent).win_probabilities_after is Agent.win_probabilities_after:
        raise ValueError(
            f"agent {agent.name!r} compares no actions by win probability; 'search' and 'value' do"
        )


def review_record(
    record: GameRecord,
    agent: Agent | str = "search:preset=fast",
    *,
    seed: int = 0,
    left_out: Collection[str] = (),
    progress: bool | None = None,
) -> Review:
    """Review a recorded game.

    Args:
        record: the game.
        agent: the agent that evaluates decisions; it must estimate win probabilities after actions.
        seed: seed of all randomness.
        left_out: marks of decisions that aren't evaluated.
        progress: whether a bar is shown; None for one on a terminal.
    """
    asked = as_agent(agent)
    check_reviewer(asked)
    walk = _Walk(record, asked, seed)
    with progress_bar(progress) as bar:
        task = bar.add_task("decisions", total=len(record.decisions), note="")
        try:
            for game, events in record.replay_with_events(walk.game):
                walk.take_in(events)
                if walk.number < len(record.decisions):
                    walk.judge_decision(game, left_out)
                    bar.advance(task)
            last = walk.estimates[-1] if record.decisions else walk.drawn(walk.game.player)[2]
            task = bar.add_task("dearest", total=len(walk.shortlist), note=asked.name)
            priced = []
            for one in walk.shortlist:
                priced.append(walk.price(one))
                bar.advance(task)
        finally:
            walk.close()
    found, winner = walk.review, record.result.get("winner")
    found.priced = sorted((one for one in priced if one.loss > 0), key=lambda one: -one.loss)
    if winner is not None:
        last = np.eye(len(found.gains))[winner]
    found.win_probabilities = np.array([*walk.estimates, last])
    return found


class _Shortlisted(NamedTuple):
    """A decision that may be costly, with the data for the agent to evaluate it."""

    is_placement: bool
    loss: float  # by the value
    number: int
    turn: int
    candidates: list[int]  # the action played first
    offers: dict[int, ReviewedOffer]  # the offers among them
    instead: int  # the alternative to an offer
    view: View


class _Walk:
    """Goes through a game decision by decision."""

    def __init__(self, record: GameRecord, agent: Agent, seed: int) -> None:
        self.game = game = Game.from_snapshot(record.start)
        self._record, self._seed, self._seats = record, seed, game.rules.num_players
        seeds = seat_seeds(seed, self._seats)
        self._advisers = [Adviser(game, seat, agent, one) for seat, one in enumerate(seeds)]
        net = shipped(self._seats)
        self._judge = Judge(game.rules, net)
        self._offers = [Offers(seat, game.rules, net) for seat in range(self._seats)]
        luck, gains = np.zeros((self._seats, len(KINDS))), np.zeros(self._seats)
        counts: list[dict[str, float]] = [defaultdict(float) for _ in seeds]
        self.review = Review(record, agent.name, luck, gains, counts)
        self.number = -1  # number of the next decision, once the first position is read
        self.estimates: list[NDArray[np.float64]] = []
        self.shortlist: list[_Shortlisted] = []
        self._after = gains  # win probabilities after the last action without chance
        self._unlikely: tuple[int, NDArray[np.float64]] | None = None

    def close(self) -> None:
        """Close the agents."""
        for adviser in self._advisers:
            adviser.close()

    def drawn(self, seat: int) -> tuple[View, np.ndarray, NDArray[np.float64]]:
        """A seat's view, games drawn from it, and (P,) win probabilities in them."""
        view = self._advisers[seat].question().view
        games = view.resample_many(np.random.default_rng((self._seed, self.number)), DRAWN)
        return view, games, self._judge.outcomes(games, NO_ACTION, seat, self._seed).values[0]

    def take_in(self, events: Events | None) -> None:
        """Record the events of the last decision; None at the start."""
        self.number += 1
        if self._unlikely is not None:  # a theft of a card that no drawn game held
            (thief, mean), self._unlikely = self._unlikely, None
            self.review.luck[:, 1] += self.drawn(thief)[2] - mean
        counts = counts_of(events or ())
        is_trade = any(name == "trades" for _, name in counts)
        self.review.gains += is_trade * (self._after - (self.estimates or [self._after])[-1])
        for (seat, name), count in counts.items():
            self.review.counts[seat][name] += count

    def judge_decision(self, game: Game, left_out: Collection[str]) -> None:
        """Evaluate the next decision, before it is played."""
        decision, seat = self._record.decisions[self.number], game.player
        view, games, now = self.drawn(seat)
        self.estimates.append(now)
        if game.phase == Phase.ROLL and self.review.placements and game.turn == 0:
            self.review.at_first_roll = now
        chances, values, cards = self._judge.outcomes(games, decision.action, seat, self._seed)
        self._after, counts = values[0], self.review.counts
        if decision.outcome is not None:
            mean, code, kind = chances @ values, outcome_code(decision.outcome), 1
            if decision.action == ROLL:
                kind = 0
                for own, count in zip(counts, chances @ cards, strict=True):
                    own["expected"] += count
            elif decision.action == BUY_DEVELOPMENT_CARD:
                kind = 2
                counts[seat]["expected points"] += chances[Card.VICTORY_POINT]
            if chances[code] > 0:
                self.review.luck[:, kind] += values[code] - mean
            else:
                self._unlikely = seat, mean
        offers = self._offers[seat]
        offers.learn(view)
        if set(left_out).isdisjoint(decision.marks):
            self._compare(game, view, games, decision.action)
        if game.phase == Phase.MAIN:
            offers.remember(view, games, decision.action)

    def _compare(self, game: Game, view: View, games: np.ndarray, played: int) -> None:
        """Compare an action with the other legal ones, by the value.

        An offer is compared with others and with none. Making none counts at a turn's end.
        """
        actions, offers = judged_actions(view), self._offers[game.player]
        made = offers.offer(view, games, played)
        if made is None and played not in actions:
            return
        drawn = games[:1] if game.phase in SETUP else games  # nothing is hidden yet
        worths = self._judge.worths(drawn, actions, self._seed)
        others, gain = actions[np.argsort(-worths, kind="stable")].tolist(), 0.0
        own, is_placement = worths[actions == played].sum(), game.phase == Phase.SETUP_SETTLEMENT
        if is_placement:
            rank = 1 + int((worths > own).sum())
            placement = Placement(self.number, game.player, played, rank, len(actions))
            self.review.placements.append(placement)
        better, instead = list[int](), played if made is None else others[0]
        if (made is not None or played == END_TURN) and view.mask[OFFER:COMPOSE_GIVE].any():
            gain, better = offers.best(view, games)
            better = [a for a in better if a != played][:MOST_OFFERS]
        if made is None:
            loss = max(float(worths.max() - own), gain)
            others = [a for a in others if a != played][:_CANDIDATES]
        else:
            loss = gain - made.gain(self._by_value, gain)
            others = others[:1]
        if loss <= 0:
            return
        candidates = [played, *others, *better]
        found = {a: offers.offer(view, games, a) for a in candidates}
        among = {a: offer for a, offer in found.items() if offer is not None}
        dear = _Shortlisted(
            is_placement, loss, self.number, game.turn, candidates, among, instead, view
        )
        self.shortlist = nlargest(_SHORTLISTED, [*self.shortlist, dear], key=lambda one: one[:2])

    def _by_value(
        self, _view: View, games: np.ndarray, actions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self._judge.worths(games, actions, self._seed)

    def price(self, asked: _Shortlisted) -> PricedDecision:
        """The loss of a decision against the best action, by the agent.

        The best action comes from one estimate and the loss from others, so that selection doesn't
        bias the loss.
        """
        seat, offers = self._record.decisions[asked.number].player, asked.offers
        agent, (played, *others) = self._advisers[seat].agent, asked.candidates

        def by_agent(view: View, _: np.ndarray, actions: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.asarray(agent.win_probabilities_after(view, actions))

        def look(others: list[int]) -> list[float]:
            """Win probabilities after others and after the action played, with the same chance."""
            compared = dict.fromkeys([asked.instead, *others, played])
            plain = np.array([a for a in compared if a not in offers])
            found = np.asarray(agent.win_probabilities_after(asked.view, plain))
            worths = dict(zip(plain.tolist(), found.tolist(), strict=True))
            base = worths[asked.instead]
            for a in offers.keys() & set(others):
                worths[a] = base + offers[a].gain(by_agent)
            if played in offers:
                best = max(worths[a] for a in others)
                worths[played] = base + offers[played].gain(by_agent, best - base)
            return [worths[a] for a in (*others, played)]

        *found, _ = look(others)
        best = others[int(np.argmax(found))]
        looks = np.array([look([best]) for _ in range(_LOOKS)])
        losses = looks[:, 0] - looks[:, 1]
        error = float(losses.std(ddof=1) / _LOOKS**0.5)
        loss, value = float(losses.mean()), float(looks[:, 1].mean())
        return PricedDecision(asked.number, asked.turn, seat, played, best, loss, error, value)
