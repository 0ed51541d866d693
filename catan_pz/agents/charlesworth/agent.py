"""The agent `charlesworth`."""

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.charlesworth.choices import NUM_SLOTS, is_asked
from catan_pz.agents.charlesworth.model import CharlesworthModel
from catan_pz.agents.charlesworth.plans import Plan, plans_of
from catan_pz.agents.charlesworth.search import ForwardOptions, ForwardSearch
from catan_pz.agents.views import Views
from catan_pz.checks import check_choice, did_you_mean
from catan_pz.rules import Rules
from catan_pz.runtime.view import View
from catan_pz.terms import MAX_PLAYERS

SHIPPED: Final = Path(__file__).parent / "model.npz"
"""The model that comes with the package."""

CHOICES: Final = ("sample", "best")


@cache
def _shipped() -> CharlesworthModel:
    return CharlesworthModel.read(SHIPPED)


def _options(given: dict[str, Any]) -> ForwardOptions:
    known = [field.name for field in fields(ForwardOptions)]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(
                f"charlesworth has no option {name!r}{hint}; its options are "
                f"{['model', 'choice', 'name', *known]}"
            )
    return ForwardOptions(**given)


class CharlesworthAgent(Agent):
    """Plays by a policy of heads, whose offers are made to one player each.

    An offer is made to all, as the environment has it, and closed with the player named alone.
    With a budget in simulations or seconds it searches forward before each joint action.

    Args:
        model: the model, or the path of its file; None for the one that comes with the package.
        choice: "sample" samples each part of a joint action, "best" takes the most probable.
        name: for tables of results.
        **search: options of `ForwardOptions`; `simulations` or `seconds` turns the search on.

    Attributes:
        model: the `CharlesworthModel`.
        options: the `ForwardOptions`.

    Raises:
        ValueError: for options that aren't possible, or a file that can't be played.
    """

    name = "charlesworth"

    def __init__(
        self,
        model: CharlesworthModel | Path | str | None = None,
        *,
        choice: str = "sample",
        name: str | None = None,
        **search: Any,
    ) -> None:
        if model is None:
            self.model = _shipped()
        elif isinstance(model, CharlesworthModel):
            self.model = model
        else:
            self.model = CharlesworthModel.read(model)
        check_choice("choice", choice, CHOICES)
        self._best = choice == "best"
        self.options = _options(search)
        self.needs_belief = self.options.is_on
        if name is not None:
            self.name = name

    def check_rules(self, rules: Rules) -> None:
        """Refuse games but of four players.

        Raises:
            ValueError: for others.
        """
        if rules.num_players != MAX_PLAYERS:
            raise ValueError(
                f"agent {self.name!r} plays games of 4 players; this one has {rules.num_players}"
            )

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self._plan = Plan()
        self._search = self._new_search() if self.options.is_on else None

    def _new_search(self) -> ForwardSearch:
        model = self.model
        return ForwardSearch(
            model.policy,
            self.rules,
            self.seat,
            self.options,
            value_mean=model.value_mean,
            value_scale=model.value_scale,
        )

    def act(self, view: View) -> int:
        """The next action of a joint action, which is chosen where none is under way."""
        if is_asked(view.observation):
            self._plan = self._chosen(view)
        return self._plan.next_action(view.observation, view.mask)

    def _chosen(self, view: View) -> Plan:
        if self._search is not None:
            row = self._search.choose(view, np.random.default_rng(self.random.next()))
            return plans_of(row[None])[0]
        return self._plans(view.observation[None], view.mask[None], self._uniforms()[None])[0]

    def _uniforms(self) -> NDArray[np.float64]:
        """(S,) numbers in [0, 1) from the game's random stream."""
        return np.random.default_rng(self.random.next()).random(NUM_SLOTS)

    def _plans(
        self, units: NDArray[np.int8], masks: NDArray[Any], uniforms: NDArray[np.float64]
    ) -> list[Plan]:
        decision = self.model.policy.decide(units, masks, uniforms, best=self._best)
        return plans_of(decision.choices)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions: without search the network looks at all games by one call."""
        if self.options.is_on:
            return np.asarray(super().act_batch(views), np.int64)
        seated = list(views.players(self))
        asked = np.flatnonzero(is_asked(views.observations))
        if len(asked):
            uniforms = np.array([seated[row][0]._uniforms() for row in asked])
            plans = self._plans(views.observations[asked], views.masks[asked], uniforms)
            for row, plan in zip(asked, plans, strict=True):
                seated[row][0]._plan = plan
        actions = [one._plan.next_action(view.observation, view.mask) for one, view in seated]
        return np.array(actions, np.int64)
