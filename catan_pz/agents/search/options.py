"""The options of the search, checked."""

from dataclasses import dataclass
from typing import Any, Final

from catan_pz.agents.registry import as_agent
from catan_pz.agents.search.descent import BY_EVALUATOR, BY_GREEDY, BY_VALUE
from catan_pz.agents.search.parallel_trees import Evaluator
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.specs import check_options
from catan_pz.agents.value.agent import SETUP
from catan_pz.checks import check_choice, check_count, check_flag, check_number, not_possible

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "fast": {"simulations": 64},
    "strong": {"simulations": 4000},
}
"""Options by name of a preset."""

AUTO: Final = "auto"
"""The prior that is the agent "value"."""

EXPLORATION: Final = {"halving": 0.0, "gumbel": 0.0, "ucb1": 0.1, "uct": 0.1, "puct": 0.5}
"""Default of the option by method."""
METHODS: Final = tuple(EXPLORATION)
DEFAULT_SIMULATIONS: Final = 1000
TO_THE_END: Final = 1_000_000
"""Turns of a rollout that nothing cuts off."""

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


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How a search decides; see `SearchAgent` for what each option means."""

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

    @classmethod
    def made(cls, preset: str | None = None, **options: Any) -> "SearchOptions":
        """Options by name, with those of a preset behind them."""
        if preset is not None:
            check_choice("preset", preset, tuple(PRESETS))
            options = PRESETS[preset] | options
        check_options("search", cls, options)
        return cls(**options)

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", DEFAULT_SIMULATIONS)
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if value is not None or name not in ("simulations", "turns", "setup_turns"):
                object.__setattr__(self, name, check_count(name, value, least, most))
        if self.seconds is not None:
            check_number("seconds", self.seconds, above=0)
        check_choice("method", self.method, METHODS)
        check_choice("rollout", self.rollout, tuple(PLAYERS))
        check_flag("keep_tree", self.keep_tree)
        if self.exploration is None:
            object.__setattr__(self, "exploration", EXPLORATION[self.method])
        check_number("exploration", self.exploration, least=0)
        if self.prior is not None and self.prior != AUTO:
            self._load_prior()
        if self.evaluator is not None:
            self._check_evaluator()

    def _load_prior(self) -> None:
        if self.method != "gumbel":
            raise not_possible("method", self.method, f"'gumbel' with a prior other than {AUTO!r}")
        prior = as_agent(self.prior)
        outputs = getattr(getattr(prior, "model", None), "outputs", "logits")
        if not hasattr(prior, "policy") or outputs != "logits":
            raise not_possible("prior", self.prior, f"an agent with a policy, {AUTO!r} or None")
        object.__setattr__(self, "prior", prior)

    def _check_evaluator(self) -> None:
        if not isinstance(self.evaluator, Evaluator):
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

    def rollout_in(self, phase: int) -> Rollout:
        """Rollouts that begin in some phase."""
        turns = self.setup_turns if phase in SETUP else self.turns
        return Rollout(PLAYERS[self.rollout], TO_THE_END if turns is None else turns)
