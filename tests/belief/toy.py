"""A toy game of few cards: random fully known histories of hands, and an enumeration of all
possible hidden events, independent of the package's belief."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from catan_pz.belief import HandsChanged, HoldingShown
from catan_pz.belief.hand_events import HandEvent, MonopolyTaken, Theft, unseen_by

Hands = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Story:
    """A fully known history: `hands[k]` are the true hands after k events."""

    hands: tuple[Hands, ...]
    events: tuple[HandEvent, ...]

    def seen_by(self, viewer: int) -> list[HandEvent]:
        return [unseen_by(event, viewer) for event in self.events]


def frozen(hands: np.ndarray) -> Hands:
    return tuple(tuple(int(n) for n in row) for row in hands)


def random_story(seed: int, seats: int, resources: int, length: int) -> Story:
    rng = np.random.default_rng(seed)
    hands = rng.integers(0, 3, (seats, resources))
    told, events = [frozen(hands)], []
    while len(events) < length:
        event = _random_event(rng, hands)
        if event is not None:
            hands = replay(hands, event)
            events.append(event)
            told.append(frozen(hands))
    return Story(tuple(told), tuple(events))


def _random_event(rng: np.random.Generator, hands: np.ndarray) -> HandEvent | None:
    seats, resources = hands.shape
    p, q = rng.permutation(seats)[:2]
    kind = rng.choice(["gain", "pay", "exchange", "steal", "steal", "steal", "monopoly", "show"])
    changes = np.zeros_like(hands)
    if kind == "gain":
        changes[p, rng.integers(resources)] = 1
        return HandsChanged(frozen(changes))
    if kind == "pay":
        changes[p] = -rng.integers(0, hands[p] + 1)
        return HandsChanged(frozen(changes)) if changes.any() else None
    if kind == "exchange":
        return _exchange(rng, hands, p, q)
    if kind == "steal":
        if hands[q].sum() == 0:
            return None
        return Theft(int(p), int(q), int(rng.choice(np.repeat(np.arange(resources), hands[q]))))
    if kind == "monopoly":
        r = int(rng.integers(resources))
        taken = [0 if k == p else int(hands[k, r]) for k in range(seats)]
        return MonopolyTaken(int(p), r, tuple(taken))
    bundle = rng.integers(0, hands[p] + 1)
    return HoldingShown(int(p), tuple(int(n) for n in bundle)) if bundle.any() else None


def _exchange(rng: np.random.Generator, hands: np.ndarray, p: int, q: int) -> HandEvent | None:
    given, got = rng.permutation(hands.shape[1])[:2]
    if hands[p, given] == 0 or hands[q, got] == 0:
        return None
    changes = np.zeros_like(hands)
    changes[p, given], changes[q, given] = -1, 1
    changes[p, got], changes[q, got] = 1, -1
    return HandsChanged(frozen(changes))


def replay(hands: np.ndarray, event: HandEvent) -> np.ndarray | None:
    """The hands after a fully known event, or None if it is impossible for these."""
    after = np.array(hands)
    match event:
        case HandsChanged(changes):
            after += np.array(changes)
        case HoldingShown(seat, bundle):
            if (after[seat] < bundle).any():
                return None
        case Theft(thief, victim, resource):
            after[victim, resource] -= 1
            after[thief, resource] += 1
        case MonopolyTaken(seat, resource, taken):
            for q, count in enumerate(taken):
                if q != seat and after[q, resource] != count:
                    return None
                after[q, resource] -= count
                after[seat, resource] += count
    return None if (after < 0).any() else after


def posterior(start: Hands, seen: list[HandEvent]) -> dict[Hands, Fraction]:
    """Probability of each hands, from all possible hidden cards, with each history replayed
    from the start."""
    resources = range(len(start[0]))
    unseen = [k for k, e in enumerate(seen) if isinstance(e, Theft) and e.resource is None]
    odds: dict[Hands, Fraction] = {}
    for types in product(resources, repeat=len(unseen)):
        history = list(seen)
        for k, resource in zip(unseen, types, strict=True):
            history[k] = Theft(seen[k].thief, seen[k].victim, resource)
        hands, likelihood = _likelihood(start, history)
        if likelihood > 0:
            odds[hands] = odds.get(hands, Fraction(0)) + likelihood
    total = sum(odds.values())
    return {hands: weight / total for hands, weight in odds.items()}


def _likelihood(start: Hands, history: list[HandEvent]) -> tuple[Hands, Fraction]:
    hands, likelihood = np.array(start), Fraction(1)
    for event in history:
        if isinstance(event, Theft):
            row = hands[event.victim]
            likelihood *= Fraction(int(row[event.resource]), int(row.sum()))
        after = replay(hands, event)
        if likelihood == 0 or after is None:
            return frozen(hands), Fraction(0)
        hands = after
    return frozen(hands), likelihood
