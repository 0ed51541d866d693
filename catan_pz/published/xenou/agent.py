"""The player of Xenou et al. at a table: a base player, and a learner of trades."""

from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import END_TURN, MARITIME_TRADE, OFFER, WITHDRAW
from catan_pz.agents.base import Agent, SeatResult, WrappingAgent
from catan_pz.agents.model_files import Stored, StoredModel, check_weights
from catan_pz.agents.registry import as_agent
from catan_pz.encoders import load
from catan_pz.engine.trade import ACCEPTED, COUNTERED
from catan_pz.files import resource
from catan_pz.game.view import View
from catan_pz.observation.segments import PLACES
from catan_pz.published.xenou.encoder import NO, NUM_OFFERS, TRADES, YES, first_with, legal_trades
from catan_pz.published.xenou.learner import Learner
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights, shapes_of
from catan_pz.rules import Rules
from catan_pz.terms import Phase

KEPT: Final = resource("catan_pz.published.xenou", "kept.npz")
"""The model shipped with the package."""

_PHASE: Final = PLACES["phase"]
_POINTS: Final = PLACES["own_points"].start
_TURNS: Final = PLACES["turns_ended"].start


@dataclass(frozen=True, eq=False)
class XenouModel(StoredModel):
    """Initial weights of games, and the options of their training."""

    kinds = ("xenou",)
    options: XenouOptions
    weights: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_weights(self.weights, shapes_of(self.options))

    def stored(self) -> Stored:
        """The content of its file."""
        network = {"kind": self.kinds[0], **asdict(self.options)}
        return Stored(network, self.weights, load("xenou"), {})

    @classmethod
    def restored(cls, stored: Stored) -> "XenouModel":
        """The model from the content of a file."""
        options = stored.network
        del options["kind"]
        return cls(XenouOptions(**options), stored.arrays, stored.header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rows of the model card: the network."""
        count = sum(array.size for array in self.weights.values())
        return [("network", f"{self.options.network}, {count:,} parameters")]


class XenouAgent(WrappingAgent):
    """Learns to trade by recurrent Q-learning during the game; a base player decides the rest.

    The learner answers offers, and once in each own turn decides whether and what to offer. It is
    not called if there is no choice. Each game starts with fresh weights, or with a model's, so it
    doesn't depend on earlier games.

    Args:
        model: a `XenouModel` or the path of its file; None for fresh weights.
        base: the base player, or its name.
        **options: those of `XenouOptions`; with a model they default to its training's.
    """

    name = "xenou"
    inner: Agent

    def __init__(
        self,
        model: XenouModel | Path | str | None = None,
        base: Agent | str = "heuristic",
        **options: Any,
    ) -> None:
        if model is not None and not isinstance(model, XenouModel):
            model = XenouModel.read(model)
        defaults = {} if model is None else asdict(model.options)
        self.options = XenouOptions(**defaults | options)
        if model is not None:
            check_weights(model.weights, shapes_of(self.options))
        self.weights = None if model is None else dict(model.weights)
        self.base = as_agent(base)
        self.needs_belief = self.base.needs_belief
        self.needs_events = self.base.needs_events
        self._encoder = load("xenou")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that the base player can't play."""
        self.base.check_rules(rules)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a game."""
        super().reset(seat, rules, seed)
        self.inner = copy(self.base)
        self.inner.reset(seat, rules, seed)
        if self.weights is None:
            weights = fresh_weights(self.options, np.random.default_rng(self.random.next()))
        else:
            weights = {name: array.copy() for name, array in self.weights.items()}
        self.learner = Learner(self.options, weights)
        self._turn, self._asked = 0, False

    def act(self, view: View) -> int:
        """The base player's choice, or the learner's if it is about trade."""
        if not self.rules.trading:
            return self.inner.act(view)
        phase = int(view.observation[_PHASE].argmax())
        if phase == Phase.ANSWER:
            return int(TRADES[self._trade(view, phase)])
        if phase == Phase.CLOSE:
            closing = first_with(view, ACCEPTED)
            if closing is None and self._trade(view, phase) == YES:
                closing = first_with(view, COUNTERED)
            return WITHDRAW if closing is None else closing
        if phase != Phase.MAIN:
            return self.inner.act(view)
        mask, turn = view.mask.copy(), int(view.observation[_TURNS])
        mask[OFFER:] = 0
        action = self.inner.act(View(view.observation, mask, view._resampler))
        if turn != self._turn:
            self._turn, self._asked = turn, False
        stops = action == END_TURN or MARITIME_TRADE <= action < OFFER
        if stops and not self._asked:
            self._asked = True
            trade = self._trade(view, phase)
            if trade < NUM_OFFERS:
                return int(TRADES[trade])
        if action == END_TURN:
            self._asked = False
        return action

    def _trade(self, view: View, phase: int) -> int:
        """The learner's choice, or the only one."""
        legal = legal_trades(view, phase)
        if self.options.mask and legal.sum() == 1:
            return NO
        state = self._encoder.encode(view.observation)
        return self.learner.choose(state, int(view.observation[_POINTS]), legal)

    def end(self, result: SeatResult) -> None:
        """Learn from the last decision, and notify the base player."""
        self.learner.finish(result.points[self.seat])
        super().end(result)


def kept(**options: Any) -> XenouAgent:
    """The player with the shipped model; `options` as for `XenouAgent`."""
    agent = XenouAgent(**{"model": KEPT, **options})
    agent.name = "xenou_kept"
    return agent
