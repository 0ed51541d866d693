"""The agent `charlesworth` and its model."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, Batcher, Views, refuse_others
from catan_pz.agents.model_files import Stored, StoredModel, check_weights, model_of, rules_text
from catan_pz.agents.network import CHOICES
from catan_pz.agents.registry import check_options
from catan_pz.checks import check_choice, check_text, not_possible
from catan_pz.encoders import Encoder, load
from catan_pz.files import resource
from catan_pz.game.view import View
from catan_pz.published.charlesworth.choices import NUM_SLOTS, is_asked
from catan_pz.published.charlesworth.games import ActionPlan, Policy, plans_of
from catan_pz.published.charlesworth.networks import CharlesworthNetwork
from catan_pz.published.charlesworth.search import (
    ForwardOptions,
    ForwardSearch,
    Runs,
    SearchedDecision,
)
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

SHIPPED: Final = resource("catan_pz.published.charlesworth", "model.npz")
"""The model shipped with the package."""

ENCODERS: Final = {"charlesworth": True, "charlesworth_flags": True, "charlesworth_2022": False}
"""Encoders of the network, and whether they have its additions."""

AT_A_TIME: Final = 1024
"""The most runs of searches in many games at a time."""


@dataclass(frozen=True)
class CharlesworthModel(StoredModel):
    """A network with its weights and the offset and scale of its value, trained with `rules`."""

    kinds = ("charlesworth",)
    architecture: CharlesworthNetwork
    weights: Mapping[str, NDArray[np.float32]]
    rules: Rules
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("charlesworth"))
    value_mean: float = 150.0
    value_scale: float = 150.0

    def __post_init__(self) -> None:
        check_weights(self.weights, self.architecture.shapes)
        if self.rules.num_players != MAX_PLAYERS:
            raise not_possible("model: num_players", self.rules.num_players, str(MAX_PLAYERS))
        if ENCODERS.get(self.encoder.name) != self.architecture.additions:
            raise not_possible("model: encoder", self.encoder.name, f"one of {list(ENCODERS)}")

    def stored(self) -> Stored:
        """The content of its file."""
        network = {"kind": self.kinds[0], **asdict(self.architecture)}
        values = {"value_mean": self.value_mean, "value_scale": self.value_scale}
        header = {"values": values, "rules": self.rules.to_dict()}
        return Stored(network, self.weights, self.encoder, header)

    @classmethod
    def restored(cls, stored: Stored) -> "CharlesworthModel":
        """The model from the content of a file."""
        options, header = stored.network, stored.header
        del options["kind"]
        network, rules = CharlesworthNetwork(**options), Rules.from_dict(header["rules"])
        given = header["card"], stored.encoder
        return cls(network, stored.arrays, rules, *given, **header["values"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Rows of the model card: rules, network and encoder."""
        size = f"{self.architecture.size}, {self.architecture.parameters:,} parameters"
        rules = rules_text(self.rules)
        return [("rules", rules), ("network", size), ("encoder", self.encoder.name)]


class CharlesworthAgent(Agent):
    """Plays with a policy of several heads, whose offers are made to one player each.

    The environment makes an offer to all; the agent only closes with the player named. With a
    budget in simulations or seconds it searches forward before each joint action.

    Args:
        model: the model, or the path of its file; None for the one shipped with the package.
        choice: "sample" samples each part of a joint action, "best" takes the most probable.
        name: for tables of results.
        **search: options of `ForwardOptions`; `simulations` or `seconds` turns the search on.
    """

    name = "charlesworth"
    plan: ActionPlan  # the rest of the present joint action
    search: ForwardSearch | None

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
        self.choice = choice
        check_options("charlesworth", ForwardOptions, search)
        self.options = ForwardOptions(**search)
        self.needs_belief = self.options.is_on
        # A time limit applies to each decision separately.
        self.has_batcher = self.options.seconds is None
        if name is not None:
            self.name = check_text("name", name)

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of other than four players."""
        refuse_others(self.name, rules, players=MAX_PLAYERS)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a game."""
        super().reset(seat, rules, seed)
        self.plan = ActionPlan()
        model, values = self.model, (self.model.value_mean, self.model.value_scale)
        self.policy = Policy(model.architecture, model.weights, model.encoder)
        search = ForwardSearch(self.policy, rules, seat, self.options, *values)
        self.search = search if self.options.is_on else None

    def draws(self) -> np.random.Generator:
        """A random generator for a decision, seeded by the game's random stream."""
        return np.random.default_rng(self.random.next())

    def act(self, view: View) -> int:
        """The next action of the joint action, which is chosen first if none is in progress."""
        return self._together([(self, view)], self.options.wave)[0]

    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """(K,) legal actions, with one network call for all games."""
        if not self.has_batcher:
            return super().act_batch(views)
        return np.array(self._together(list(views.players(self)), AT_A_TIME), np.int64)

    def _together(self, seated: Sequence[tuple[Self, View]], count: int) -> list[int]:
        """Actions of copies, each from its own view, with `count` runs at a time."""
        batcher, decided = CharlesworthBatcher(self, count), dict[int, int]()
        for key, (own, view) in enumerate(seated):
            batcher.submit(key, own, view)
        while len(decided) < len(seated):
            decided.update(batcher.collect())
        return [decided[key] for key in range(len(seated))]

    def batcher(self) -> Batcher:
        """A batcher for copies in many games."""
        return CharlesworthBatcher(self)


_Entry = tuple[int, CharlesworthAgent, View]
"""A submitted decision, with its key."""


class CharlesworthBatcher:
    """Evaluates decisions of all games, and all runs of searches, with one network call."""

    def __init__(self, agent: CharlesworthAgent, count: int = AT_A_TIME) -> None:
        self._agent, self._count = agent, count
        self._runs: Runs | None = None
        self._searched: dict[SearchedDecision, _Entry] = {}
        self._asked: list[_Entry] = []
        self._planned: list[_Entry] = []

    def submit(self, key: int, own: CharlesworthAgent, view: View) -> None:
        """Add a decision, as `Batcher.submit`."""
        entry, legal = (key, own, view), np.flatnonzero(view.mask)
        if not is_asked(view.observation):
            self._planned.append(entry)
        elif len(legal) == 1:
            own.plan = ActionPlan(legal.tolist())
            self._planned.append(entry)
        elif own.search is None:
            self._asked.append(entry)
        else:
            decision = SearchedDecision(own.search, view, own.draws())
            if own.search.last is None:  # there is only one candidate
                self._take(decision, entry)
                return
            if self._runs is None:
                self._runs = Runs(own.search, self._count)
            self._runs.add(decision)
            self._searched[decision] = entry

    def collect(self) -> list[tuple[int, int]]:
        """The decisions made, as `Batcher.collect`."""
        if self._asked:
            self._choose()
        if self._runs is not None:
            for decision in self._runs.go_on():
                self._take(decision, self._searched.pop(decision))
        entries, self._planned = self._planned, []
        return [
            (key, own.plan.next_action(view.observation, view.mask)) for key, own, view in entries
        ]

    def _choose(self) -> None:
        """Choose joint actions without search."""
        units = np.array([view.observation for _, _, view in self._asked])
        masks = np.array([view.mask for _, _, view in self._asked])
        uniforms = np.array([own.draws().random(NUM_SLOTS) for _, own, _ in self._asked])
        best = self._agent.choice == "best"
        made = self._asked[0][1].policy.decide(units, masks, uniforms, best=best)
        for (_, own, _), plan in zip(self._asked, plans_of(made.choices), strict=True):
            own.plan = plan
        self._planned += self._asked
        self._asked = []

    def _take(self, decision: SearchedDecision, entry: _Entry) -> None:
        """Store a decision."""
        entry[1].plan = plans_of(decision.best[None])[0]
        self._planned.append(entry)
