"""The agent that corrects the evolved player by a learned value of positions."""

from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import END_TURN, OFFER, OFFERING, REJECT, is_offering
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent
from catan_pz.agents.registry import load
from catan_pz.agents.value.choice import MARGIN, TEMPERATURE, Judge
from catan_pz.agents.value.network import ValueNet, shipped
from catan_pz.agents.value.trader import Ask, Offered, Trader
from catan_pz.checks import check_count, check_number
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import Phase

SETUP: Final = (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)
UNGUARDED: Final = (*SETUP, Phase.ANSWER, Phase.CLOSE)
"""Phases decided only by the value."""

MARGIN_BEYOND: Final = 0.06
"""The margin in games to more points than in the network's fit, where its error is larger."""


class ValueAgent(Agent):
    """Plays as the evolved player, unless the value of another action is higher by a margin.

    The value is each seat's win probability in the position that an action leads to (its
    afterstate), in games drawn from the exact belief of the seat, without a search from there. In
    the set-up, which is first completed, and in answers to offers it takes the action of the
    highest value. Its own offers, composed ones too, come from a `Trader`.

    Args:
        margin: least gain in win probability for taking another action; with 0 only the value
            decides. None for 0.02, or 0.06 in games to more points than the network was fitted to.
        determinizations: games drawn for a decision.
        net: a `ValueNet` for the number of players, or its file; None for the shipped one.
    """

    name = "value"
    needs_belief = True

    def __init__(
        self,
        margin: float | None = None,
        determinizations: int = 1,
        net: ValueNet | str | Path | None = None,
    ) -> None:
        if margin is not None:
            margin = check_number("margin", margin, least=0, most=1)
        self.margin = margin
        self.determinizations = check_count("determinizations", determinizations, most=10**6)
        self.net = net if isinstance(net, ValueNet | None) else ValueNet.read(net)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that the network doesn't support."""
        self._net_for(rules).check_rules(rules)

    def _net_for(self, rules: Rules) -> ValueNet:
        return shipped(rules.num_players) if self.net is None else self.net

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a game."""
        super().reset(seat, rules, seed)
        net = self._net_for(rules)
        self._judge = Judge(rules, net)
        usual = MARGIN_BEYOND if rules.victory_points > net.rules.victory_points else MARGIN
        self._guard = usual if self.margin is None else self.margin
        self._evolved = load("evolved")
        self._evolved.reset(seat, rules, self.random.next())
        self._trader = Trader(seat, rules, net) if rules.trading else None

    def act(self, view: View) -> int:
        """A legal action, without evaluation if it is the only one."""
        if self._trader is not None:
            self._trader.learn(view)
            action = self._trader.next_card(view)
            if action is not None:
                return action
        if np.count_nonzero(view.mask) == 1:
            return int(view.mask.argmax())
        judgment = self._judgment(view)
        if judgment.offer is None or self._trader is None:
            return judgment.chosen
        return self._trader.begin(view, judgment.games, judgment.offer)

    def trade(self, view: View) -> int | None:
        """Its action in domestic trade: an offer, a card of one, an answer; or None."""
        if self._trader is None:
            return None
        self._trader.learn(view)
        if phase_of(view) not in (Phase.ANSWER, Phase.CLOSE) and not may_offer(view):
            return None
        action = self.act(view)
        return action if action >= OFFER else None

    def _judgment(self, view: View, *, with_next: bool = True) -> "_Judgment":
        """The evaluation of its actions, each with the best second one of the turn."""
        phase, chosen, actions = phase_of(view), self._evolved.act(view), judged_actions(view)
        offers = self._trader is not None and phase != Phase.COMPOSE and may_offer(view)
        games = self._games(view)
        if phase == Phase.COMPOSE or (len(actions) == 1 and not offers):
            return _Judgment(chosen, games)
        if chosen not in actions:
            chosen = REJECT if phase == Phase.ANSWER else END_TURN
        worths = self._judge.worths(games, actions, self.random.next(), with_next=with_next)
        best = (worths - np.where(actions != chosen, self._margin(view), 0.0)).argmax()
        taken = int(actions[best])
        if not offers or self._trader is None:
            return _Judgment(taken, games, actions, worths)
        offered = self._trader.offers(view, games)
        base = offered.now if taken == END_TURN else max(offered.now, float(worths[best]))
        tries = int(view.segments["offers_left"][0]) if phase == Phase.MAIN else 1
        offer = self._trader.chosen(offered, base, tries)
        return _Judgment(taken, games, actions, worths, offer, (offered, base))

    def _games(self, view: View) -> np.ndarray:
        rng = np.random.default_rng(self.random.next())
        return view.resample_many(rng, self.determinizations)

    def _margin(self, view: View) -> float:
        return 0.0 if phase_of(view) in UNGUARDED else self._guard

    @np.errstate(under="ignore", over="ignore")  # other libraries may enable exceptions
    def policy(self, view: View) -> NDArray[np.float64]:
        """(A,) the softmax of the actions' values in units of `TEMPERATURE`.

        Each action is evaluated by itself. The choice by these values gets its margin added;
        actions that aren't evaluated have the value of the position.
        """
        judgment = self._judgment(view, with_next=False).with_offers(view)
        worths = np.zeros(len(view.mask))
        worths[:] = self._judge.win_probabilities(judgment.games, self.seat)[self.seat]
        worths[judgment.actions] = judgment.worths
        worths[judgment.first(view)] += self._margin(view)
        legal = view.mask != 0
        weights = np.where(legal, np.exp((worths - worths[legal].max()) / TEMPERATURE), 0)
        return np.asarray(weights / weights.sum())

    def advise(self, view: View) -> Advice:
        """The actions by their value, the chosen one first."""
        judgment = self._judgment(view).with_offers(view)
        if len(judgment.actions) == 0:
            return Advice.of_choice(judgment.chosen)
        order = np.lexsort((-judgment.worths, judgment.actions != judgment.first(view)))
        return Advice(judgment.actions[order], win_probabilities=judgment.worths[order])

    def win_probabilities(self, view: View) -> NDArray[np.float64]:
        """(P,) each seat's win probability by the value."""
        return self._judge.win_probabilities(self._games(view), self.seat)

    def win_probabilities_after(
        self, view: View, actions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """(K,) the values of actions."""
        return self._judge.worths(self._games(view), actions, self.random.next())


def phase_of(view: View) -> Phase:
    """The phase of the game."""
    return Phase(int(view.segments["phase"].argmax()))


class _Judgment(NamedTuple):
    """The evaluation of a decision."""

    chosen: int  # apart from offers
    games: np.ndarray
    actions: NDArray[np.int64] = np.zeros(0, np.int64)  # (K,) evaluated actions
    worths: NDArray[np.float64] = np.zeros(0)  # (K,) their win probabilities
    offer: Ask | None = None  # made instead of `chosen`
    offered: tuple[Offered, float] | None = None  # all offers, and the value without any

    def with_offers(self, view: View) -> "_Judgment":
        """A copy that also evaluates the actions that begin offers."""
        if self.offered is None:
            return self
        offered, base = self.offered
        begun, of_begun = offered.first_actions(view, base)
        actions = np.concatenate([self.actions, begun])
        return self._replace(actions=actions, worths=np.concatenate([self.worths, of_begun]))

    def first(self, view: View) -> int:
        """The chosen action."""
        return self.chosen if self.offer is None else self.offer.first_action(view)


def judged_actions(view: View) -> NDArray[np.int64]:
    """(K,) legal actions that are evaluated one by one: all but offers and counter-offers."""
    legal = np.flatnonzero(view.mask).astype(np.int64)
    return legal[~is_offering(legal)]


def may_offer(view: View) -> bool:
    """Whether an offer or a counter-offer may be begun."""
    return bool(view.mask[OFFERING].any())
