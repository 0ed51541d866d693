"""The options of the search, checked."""

from dataclasses import dataclass, fields
from typing import Any, Final

from catan_pz.agents.registry import as_agent
from catan_pz.agents.search.descent import BY_EVALUATOR, BY_GREEDY, BY_VALUE
from catan_pz.agents.search.evaluator import Evaluator
from catan_pz.agents.search.rollout import PLAYERS
from catan_pz.agents.value.agent import SETUP
from catan_pz.checks import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    did_you_mean,
    not_possible,
)

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "fast": {"simulations": 64},
    "strong": {"simulations": 4000},
}
"""Options by name of a preset."""

AUTO: Final = "auto"
"""The prior that is the agent "value"."""

METHODS: Final = ("halving", "gumbel", "ucb1", "uct", "puct")
DEFAULT_SIMULATIONS: Final = 1000
TO_THE_END: Final = 1_000_000
"""Turns of a rollout that nothing cuts off."""

EXPLORATION: Final = {"halving": 0.0, "gumbel": 0.0, "ucb1": 0.1, "uct": 0.1, "puct": 0.5}
"""Default of the option by method."""

_COUNTS: Final = {
    "simulations": (1, 10**9),
    "turns": (0, TO_THE_END),
    "setup_turns": (0, TO_THE_END),
    "determinizations": (1, 10**6),
    "offers": (0, 120),
    "workers": (1, 256),
    "considered": (2, 10**6),
    "batch": (1, 10**5),
}
"""Least and most of options that count."""

_OPTIONAL: Final = ("simulations", "turns", "setup_turns")
"""Those of them that may be None."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How a search decides; see `SearchAgent` for what each option means.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    simulations: int | None = None
    seconds: float | None = None
    method: str = "gumbel"
    rollout: str = "heuristic"
    turns: int | None = 8
    setup_turns: int | None = 32
    determinizations: int = 16
    exploration: float | None = None
    offers: int = 6
    workers: int = 1
    keep_tree: bool = True
    prior: Any = AUTO
    considered: int = 16
    evaluator: Evaluator | None = None
    batch: int = 16

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", DEFAULT_SIMULATIONS)
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if value is not None or name not in _OPTIONAL:
                object.__setattr__(self, name, check_count(name, value, least, most))
        if self.seconds is not None:
            check_number("seconds", self.seconds, above=0)
        check_choice("method", self.method, METHODS)
        check_choice("rollout", self.rollout, tuple(PLAYERS))
        check_flag("keep_tree", self.keep_tree)
        if self.exploration is None:
            object.__setattr__(self, "exploration", EXPLORATION[self.method])
        check_number("exploration", self.exploration, least=0)
        self._check_prior()
        self._check_evaluator()

    def _check_prior(self) -> None:
        if self.prior is None or self.prior == AUTO:
            return
        if self.method != "gumbel":
            raise not_possible("method", self.method, f"'gumbel' with a prior other than {AUTO!r}")
        prior = as_agent(self.prior)
        outputs = getattr(getattr(prior, "model", None), "outputs", "logits")
        if not hasattr(prior, "policy") or outputs != "logits":
            raise not_possible("prior", self.prior, f"an agent with a policy, {AUTO!r} or None")
        object.__setattr__(self, "prior", prior)

    def _check_evaluator(self) -> None:
        if self.evaluator is None:
            return
        if not callable(getattr(self.evaluator, "evaluate", None)):
            raise not_possible("evaluator", self.evaluator, "an Evaluator or None")
        if self.method != "puct":
            raise not_possible("method", self.method, "'puct' with an evaluator")
        if self.workers != 1:
            raise not_possible("workers", self.workers, "1 with an evaluator")

    @property
    def guide(self) -> int:
        """What positions of a tree get their priors from, of `descent`."""
        if self.evaluator is not None:
            return BY_EVALUATOR
        return BY_VALUE if self.method == "puct" and self.prior == AUTO else BY_GREEDY

    def turns_in(self, phase: int) -> int:
        """Turns after which a rollout is cut off that begins in some phase."""
        turns = self.setup_turns if phase in SETUP else self.turns
        return TO_THE_END if turns is None else turns


def options_of(given: dict[str, Any]) -> SearchOptions:
    """Options by name, `preset` among them: one of `PRESETS`, which stands behind the others.

    Raises:
        ValueError: names the option that isn't known, or its value and what is allowed.
    """
    known = ["preset", *(field.name for field in fields(SearchOptions))]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(f"search has no option {name!r}{hint}; its options are {known}")
    options = dict(given)
    preset = options.pop("preset", None)
    if preset is None:
        return SearchOptions(**options)
    if not isinstance(preset, str) or preset not in PRESETS:
        raise not_possible("preset", preset, f"one of {tuple(PRESETS)} or None", PRESETS)
    return SearchOptions(**PRESETS[preset] | options)
