"""The player that asks a learned value of positions where the evolved player may be wrong."""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import COMPOSE_GIVE, COMPOSE_SEND, OFFER
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent
from catan_pz.agents.registry import load
from catan_pz.agents.value.choice import MARGIN, TEMPERATURE, Judge
from catan_pz.agents.value.network import ValueNet, shipped
from catan_pz.checks import check_count, check_number
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import Phase

SETUP: Final = (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)
UNGUARDED: Final = (*SETUP, Phase.ANSWER, Phase.CLOSE)
"""Phases in which the value alone decides."""

OFFER_MARGIN: Final = 0.003
"""Gain in win probability for which an offer is worth making."""

MARGIN_BEYOND: Final = 0.06
"""The margin in games to more points than a network was fitted to, which it knows less well."""


class ValueAgent(Agent):
    """Plays as the evolved player, but for what the value rates higher by a margin.

    The value is each seat's win probability in the position that an action leads to (its
    afterstate), in games drawn from the exact belief of the seat; nothing is played on from there.
    In the set-up, which is first played to its end, the action of the highest value is taken, and
    so are answers to offers. An offer from the list is worth its gain by the chance that somebody
    agrees, who gains as well. What the evolved player composes card by card stands.

    Args:
        margin: gain in win probability for which another action is taken; with 0 the value alone
            decides. None for 0.02, or 0.06 in games to more points than those that the network
            was fitted to.
        determinizations: games drawn for a decision.
        net: a `ValueNet` for the number of players, or its file; None for the package's own.
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
        """Refuse games that the network isn't for."""
        self._net_for(rules).check_rules(rules)

    def _net_for(self, rules: Rules) -> ValueNet:
        return shipped(rules.num_players) if self.net is None else self.net

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        net = self._net_for(rules)
        self._judge = Judge(rules, net)
        usual = MARGIN_BEYOND if rules.victory_points > net.rules.victory_points else MARGIN
        self._guard = usual if self.margin is None else self.margin
        self._evolved = load("evolved")
        self._evolved.reset(seat, rules, self.random.next())

    def act(self, view: View) -> int:
        """A legal action; at once where there is but one."""
        return int(self._ranked(view)[0][0])

    def _ranked(self, view: View) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
        """(K,) actions and their worths, that which it takes first; None where it has no choice."""
        chosen = self._evolved.act(view)
        actions = considered(view, chosen)
        if len(actions) == 1:
            return np.array([chosen]), None
        worths = self._judge.worths(self._games(view), actions, self.random.next())
        margins = np.where(are_offers(actions), OFFER_MARGIN, 0.0)
        margins[actions != chosen] += self._margin(view)
        taken = actions[(worths - margins).argmax()]
        order = np.lexsort((-worths, actions != taken))
        return actions[order], worths[order]

    def _games(self, view: View) -> np.ndarray:
        rng = np.random.default_rng(self.random.next())
        return view.resample_many(rng, self.determinizations)

    def _margin(self, view: View) -> float:
        return 0.0 if phase_of(view) in UNGUARDED else self._guard

    @np.errstate(under="ignore", over="ignore")  # other libraries may let them raise
    def policy(self, view: View) -> NDArray[np.float64]:
        """(A,) probabilities that fall with what an action is worth less than the best.

        What the evolved player chooses gets its margin on top. Actions that aren't judged are worth
        what the position is.
        """
        chosen, games = self._evolved.act(view), self._games(view)
        actions, worths = judged(view), np.zeros(len(view.mask))
        worths[:] = self._judge.win_probabilities(games, self.seat)[self.seat]
        worths[actions] = self._judge.worths(games, actions, self.random.next())
        worths[chosen] += self._margin(view)
        legal = view.mask != 0
        odds = np.where(legal, np.exp((worths - worths[legal].max()) / TEMPERATURE), 0)
        return np.asarray(odds / odds.sum())

    def advise(self, view: View) -> Advice:
        """The actions by their value, that which it takes first."""
        actions, worths = self._ranked(view)
        if worths is None:
            return Advice.of_choice(int(actions[0]))
        return Advice(actions, win_probabilities=worths)

    def win_probabilities(self, view: View) -> NDArray[np.float64]:
        """Each seat's win probability by the value."""
        return self._judge.win_probabilities(self._games(view), self.seat)


def phase_of(view: View) -> Phase:
    """What the game waits for."""
    return Phase(int(view.segments["phase"].argmax()))


def are_offers(actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(K,) which actions are offers from the list."""
    return (actions >= OFFER) & (actions < COMPOSE_GIVE)


def judged(view: View) -> NDArray[np.int64]:
    """(K,) legal actions that are judged: all but those that compose, and counter-offers."""
    legal = np.flatnonzero(view.mask).astype(np.int64)
    if phase_of(view) == Phase.ANSWER:
        return legal[legal > COMPOSE_SEND]
    return legal[(legal < COMPOSE_GIVE) | (legal > COMPOSE_SEND)]


def considered(view: View, chosen: int) -> NDArray[np.int64]:
    """(K,) actions of which one is played: those that are judged.

    Where an offer is composed, or is to be, there is but what the evolved player chose.
    """
    if phase_of(view) == Phase.COMPOSE or COMPOSE_GIVE <= chosen <= COMPOSE_SEND:
        return np.array([chosen], np.int64)
    return judged(view)
