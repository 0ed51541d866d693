"""Games in which a policy plays and somebody does better, recorded for the policy to learn from.

Letters: K decisions, N numbers of an observation, A actions, P players.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import load
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.table import Table
from catan_pz.events import Events
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.view import View


@dataclass(frozen=True)
class SearchedDecisions:
    """Decisions that were searched, or that a teacher took.

    Attributes:
        units: (K, N) int8 observations of the seats that decided.
        mask: (K, A) int8.
        policy: (K, A) float16, improved by the search; 1 for what another teacher chose.
        won: (K, P) float32, 1 for the seat that won, counted from the one that decided on; zeros
            where nobody did.
    """

    units: NDArray[np.int8]
    mask: NDArray[np.int8]
    policy: NDArray[np.float16]
    won: NDArray[np.float32]

    def __len__(self) -> int:
        """K."""
        return len(self.units)

    @classmethod
    def joined(cls, parts: Sequence["SearchedDecisions"]) -> "SearchedDecisions":
        """All of some, in order."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})


class SearchedPlayer(Agent):
    """Plays by a model; at a share of its decisions by a search that begins with that policy.

    Args:
        model: whose policy plays.
        search: options of `SearchAgent` with the method "gumbel".
        share: of the decisions that are searched, from 0 to 1.
        told: gets seat, observation, mask and improved policy of each of them.
        teacher: name of an agent that takes the search's place; "" for none.
    """

    name = "searched"
    needs_belief = True

    def __init__(
        self,
        model: Model,
        search: dict[str, Any],
        share: float,
        told: list[tuple[Any, ...]],
        teacher: str = "",
    ) -> None:
        self._policy = NetworkAgent(model)
        self._teacher: Agent = (
            load(teacher) if teacher else SearchAgent(method="gumbel", prior=self._policy, **search)
        )
        self.needs_events = self._teacher.needs_events
        self._share, self._told = share, told

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that model or teacher aren't for.

        Raises:
            ValueError: says what doesn't fit.
        """
        self._policy.check_rules(rules)
        self._teacher.check_rules(rules)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self._policy, self._teacher = copy(self._policy), copy(self._teacher)
        self._policy.reset(seat, rules, self.random.next())
        self._teacher.reset(seat, rules, self.random.next())

    def observe(self, events: Events) -> None:
        """Pass the events on to the teacher."""
        self._teacher.observe(events)

    def act(self, view: View) -> int:
        """A legal action."""
        if self.random.next() >= self._share * 2**64:
            return self._policy.act(view)
        action = self._teacher.act(view)
        policy = self._found(view, action)
        if policy is not None:
            self._told.append((self.seat, view.observation.copy(), view.mask.copy(), policy))
        return action

    def _found(self, view: View, action: int) -> NDArray[np.float16] | None:
        """(A,) what there is to learn; None where there was nothing to decide."""
        if isinstance(self._teacher, SearchAgent):
            if self._teacher.last is None:
                return None
            if "policy" in self._teacher.last:
                return np.asarray(self._teacher.last["policy"], np.float16)
        if view.mask.sum() == 1:
            return None
        policy = np.zeros(len(view.mask), np.float16)
        policy[action] = 1
        return policy


def play_searched(
    model: Model,
    rules: Rules,
    seeds: Sequence[int],
    search: dict[str, Any],
    share: float,
    workers: int = 1,
    teacher: str = "",
) -> SearchedDecisions:
    """Play games between copies of a `SearchedPlayer`.

    Args:
        model: whose policy plays.
        rules: of the games.
        seeds: of each game.
        search: options of `SearchAgent`.
        share: of the decisions that are searched, from 0 to 1.
        workers: processes; what comes of it doesn't depend on their number.
        teacher: name of an agent that takes the search's place; "" for none.

    Raises:
        ValueError: if none of the decisions was searched.
    """
    blocks = np.array_split(np.array(seeds, np.uint64), min(len(seeds), 8 * workers))
    given = [(model, rules, block.tolist(), search, share, teacher) for block in blocks]
    if workers == 1:
        parts = [part for one in given for part in _play(*one)]
    else:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            played = [pool.submit(_play, *one) for one in given]
            parts = [part for one in played for part in one.result()]
    if not parts:
        raise ValueError("no decision was searched: play more games, or search a larger share")
    return SearchedDecisions.joined(parts)


def _play(
    model: Model,
    rules: Rules,
    seeds: Sequence[int],
    search: dict[str, Any],
    share: float,
    teacher: str,
) -> list[SearchedDecisions]:
    """The searched decisions of each game that has any."""
    count, parts = rules.num_players, []
    for seed in seeds:
        told: list[tuple[Any, ...]] = []
        game = Game(rules, seed)
        player = SearchedPlayer(model, search, share, told, teacher)
        with Table(game, [player] * count, seat_seeds(seed, count)) as table:
            while not game.is_over:
                table.step()
        if told:
            seats, units, mask, policy = (np.stack(column) for column in zip(*told, strict=True))
            won = np.zeros((len(seats), count), np.float32)
            if game.winner is not None:
                won[np.arange(len(seats)), (game.winner - seats) % count] = 1
            parts.append(SearchedDecisions(units, mask, policy, won))
    return parts
