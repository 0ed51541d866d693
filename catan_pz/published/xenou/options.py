"""Options of the player of Xenou et al.; the defaults are the paper's where it gives any."""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final

from catan_pz.checks import check_choice, check_count, did_you_mean, not_possible

FORMULA: Final = "formula"
NETWORKS: Final = (FORMULA, "lstm", "gru")
SQUASHES: Final = ("sigmoid", "softmax", "none")
UPDATES: Final = ("all", "chosen")
POLICIES: Final = ("learned", "random", "reject", "base")
MOST_LAYERS: Final = 1000


@dataclass(frozen=True, kw_only=True)
class XenouOptions:
    """What is learned, how, and when the learner is asked.

    Attributes:
        network: "formula" (the printed recurrence, without weights of its own), or one "lstm" or
            "gru" for each trade action.
        hidden: units of each LSTM or GRU; the formula has none.
        layers: of each LSTM or GRU, at most `MOST_LAYERS`; with 2 or more they are stacked.
        squash: what keeps Q-values in [0, 1]: "sigmoid", "softmax" over the actions, or "none".
        update: whether a step moves the weights of "all" actions or of the "chosen" one.
        gamma: discount of a decision.
        rate: learning rate.
        k: of the reward, see `catan_pz.rewards.GainOrPenalty`.
        deviation: of the truncated normal distribution that weights are drawn from.
        mask: choose legal actions only; otherwise an illegal choice counts as a rejection.
        counters: whether an offer may be answered with a counter-offer.
        offers: how often in a turn the learner is asked for an offer.
        offers_first: ask before the base player builds; otherwise when it would trade with the
            bank or end its turn.
        policy: "learned", or for comparison "random" (any legal trade action), "reject" (no
            offers, no acceptance), "base" (the base player trades too).

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    network: str = FORMULA
    hidden: int = 161
    layers: int = 1
    squash: str = "sigmoid"
    update: str = "all"
    gamma: float = 0.9
    rate: float = 0.0023
    k: float = 0.01
    deviation: float = 0.1
    mask: bool = True
    counters: bool = True
    offers: int = 1
    offers_first: bool = False
    policy: str = "learned"

    def __post_init__(self) -> None:
        check_choice("network", self.network, NETWORKS)
        check_choice("squash", self.squash, SQUASHES)
        check_choice("update", self.update, UPDATES)
        check_choice("policy", self.policy, POLICIES)
        check_count("hidden", self.hidden)
        check_count("layers", self.layers, most=MOST_LAYERS)
        for name in ("hidden", "layers"):
            value, usual = getattr(self, name), getattr(XenouOptions, name)
            if self.network == FORMULA and value != usual:
                raise not_possible(f"option {name}", value, f"{usual} with network={FORMULA!r}")
        check_count("offers", self.offers, least=0)
        for name in ("mask", "counters", "offers_first"):
            if not isinstance(getattr(self, name), bool):
                raise not_possible(f"option {name}", getattr(self, name), "True, False")
        for name in ("gamma", "rate", "k", "deviation"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not isfinite(value) or value < 0:
                raise not_possible(f"option {name}", value, "a number from 0")

    @classmethod
    def of(cls, given: dict[str, Any], defaults: dict[str, Any]) -> "XenouOptions":
        """Options by name.

        Args:
            given: what was chosen.
            defaults: what takes the place of the defaults, such as the options of a model.

        Raises:
            ValueError: for a name that is no option, or a value that isn't possible.
        """
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known)
                raise ValueError(
                    f"xenou has no option {name!r}{hint}; its options are "
                    f"{['model', 'base', *known]}"
                )
        return cls(**{**defaults, **given})
