"""The agent `charlesworth`."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, Batcher, refuse_others
from catan_pz.agents.model_files import model_of
from catan_pz.agents.views import Views
from catan_pz.checks import check_choice, check_text, did_you_mean
from catan_pz.files import resource
from catan_pz.game.view import View
from catan_pz.published.charlesworth.choices import NUM_SLOTS, is_asked
from catan_pz.published.charlesworth.games import ActionPlan, plans_of
from catan_pz.published.charlesworth.model import CharlesworthModel
from catan_pz.published.charlesworth.search import (
    ForwardOptions,
    ForwardSearch,
    Runs,
    SearchedDecision,
)
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

SHIPPED: Final = resource("catan_pz.published.charlesworth", "model.npz")
"""The model that comes with the package."""

CHOICES: Final = ("sample", "best")

AT_A_TIME: Final = 1024
"""Runs of searches in many games, at most."""


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
        self.model = model_of(CharlesworthModel, model, SHIPPED)
        check_choice("choice", choice, CHOICES)
        self._best = choice == "best"
        self.options = _options(search)
        self.needs_belief = self.options.is_on
        # A limit of time is each decision's own.
        self.has_batcher = self.options.seconds is None
        if name is not None:
            self.name = check_text("name", name)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games but of four players."""
        refuse_others(self.name, rules, players=MAX_PLAYERS)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self._plan = ActionPlan()
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
        if not self.settle(view):
            if self._search is None:
                self.plan_together([(self, view)])
            else:
                self.plan(self._search.choose(view, self._rng()))
        return self.next_of_plan(view)

    def settle(self, view: View) -> bool:
        """ActionPlan what is forced; whether the next action is clear now, not yet to be chosen."""
        if not is_asked(view.observation):
            return True
        legal = np.flatnonzero(view.mask)
        if len(legal) == 1:
            self._plan = ActionPlan(legal.tolist())
        return len(legal) == 1

    def _rng(self) -> np.random.Generator:
        """Draws of a decision, from the game's random stream."""
        return np.random.default_rng(self.random.next())

    def _uniforms(self) -> NDArray[np.float64]:
        """(S,) numbers in [0, 1) from the game's random stream."""
        return self._rng().random(NUM_SLOTS)

    def _plans(
        self, units: NDArray[np.int8], masks: NDArray[Any], uniforms: NDArray[np.float64]
    ) -> list[ActionPlan]:
        decision = self.model.policy.decide(units, masks, uniforms, best=self._best)
        return plans_of(decision.choices)

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) legal actions: without search the network looks at all games by one call."""
        if self.options.is_on:
            return np.asarray(super().act_batch(views), np.int64)
        seated = list(views.players(self))
        self.plan_together([(own, view) for own, view in seated if not own.settle(view)])
        actions = [own.next_of_plan(view) for own, view in seated]
        return np.array(actions, np.int64)

    def plan_together(self, asked: Sequence[tuple[Self, View]]) -> None:
        """Let copies choose joint actions without search, by one call of the network.

        Args:
            asked: copies, each with what it may know.
        """
        if not asked:
            return
        units = np.array([view.observation for _, view in asked])
        masks = np.array([view.mask for _, view in asked])
        uniforms = np.array([own._uniforms() for own, _ in asked])
        for (own, _), plan in zip(asked, self._plans(units, masks, uniforms), strict=True):
            own._plan = plan

    def next_of_plan(self, view: View) -> int:
        """The next action of the joint action that was chosen."""
        return self._plan.next_action(view.observation, view.mask)

    def searched(self, view: View) -> SearchedDecision | None:
        """The search of a joint action, before its first run; None without a budget for one."""
        return None if self._search is None else SearchedDecision(self._search, view, self._rng())

    def plan(self, choices: NDArray[np.int8]) -> None:
        """Let the joint action (S,) be played from now on."""
        self._plan = plans_of(choices[None])[0]

    def batcher(self) -> Batcher:
        """Where copies in many games decide together."""
        return CharlesworthBatcher(self)


class CharlesworthBatcher:
    """The network looks at the decisions of all games, and all runs of searches, by one call.

    Args:
        agent: whose copies decide.
    """

    def __init__(self, agent: CharlesworthAgent) -> None:
        self._agent = agent
        self._runs: Runs | None = None
        self._searched: dict[SearchedDecision, tuple[int, CharlesworthAgent, View]] = {}
        self._asked: list[tuple[int, CharlesworthAgent, View]] = []
        self._planned: list[tuple[int, CharlesworthAgent, View]] = []

    def submit(self, key: int, own: CharlesworthAgent, view: View) -> None:
        """Take in a decision, as `Batcher.submit`."""
        entry = key, own, view
        if own.settle(view):
            self._planned.append(entry)
            return
        decision = own.searched(view)
        if decision is None:
            self._asked.append(entry)
        elif decision.search.last is None:
            self._take(decision, entry)
        else:
            if self._runs is None:
                self._runs = Runs(decision.search, AT_A_TIME)
            self._runs.add(decision)
            self._searched[decision] = entry

    def collect(self) -> list[tuple[int, int]]:
        """What is decided, as `Batcher.collect`."""
        self._agent.plan_together([(own, view) for _, own, view in self._asked])
        if self._runs is not None:
            for decision in self._runs.go_on():
                self._take(decision, self._searched.pop(decision))
        decided = [(key, own.next_of_plan(view)) for key, own, view in self._planned + self._asked]
        self._planned.clear()
        self._asked.clear()
        return decided

    def _take(self, decision: SearchedDecision, entry: tuple[int, CharlesworthAgent, View]) -> None:
        """A decision is made."""
        entry[1].plan(decision.best)
        self._planned.append(entry)
