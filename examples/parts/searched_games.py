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
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules


@dataclass(frozen=True)
class SearchedDecisions:
    """Decisions that were searched, or that an expert took.

    Attributes:
        units: (K, N) int8 observations of the seats that decided.
        mask: (K, A) int8.
        policy: (K, A) float16, improved by the search; 1 for the choice of any other expert.
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

    `recorded` gets seat, observation, mask and improved policy of each of them; the other arguments
    are those of `play_searched`.
    """

    name = "searched"
    needs_belief = True

    def __init__(
        self,
        model: Model,
        search: dict[str, Any],
        share: float,
        recorded: list[tuple[Any, ...]],
        expert: str = "",
    ) -> None:
        self._policy = NetworkAgent(model)
        self._expert: Agent = (
            load(expert) if expert else SearchAgent(method="gumbel", prior=self._policy, **search)
        )
        self.needs_events = self._expert.needs_events
        self._share, self._recorded = share, recorded

    def check_rules(self, rules: Rules) -> None:
        """Refuse games that model or expert aren't for."""
        self._policy.check_rules(rules)
        self._expert.check_rules(rules)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self._policy, self._expert = copy(self._policy), copy(self._expert)
        self._policy.reset(seat, rules, self.random.next())
        self._expert.reset(seat, rules, self.random.next())

    def observe(self, events: Events) -> None:
        """Pass the events on to the expert."""
        self._expert.observe(events)

    def act(self, view: View) -> int:
        """A legal action."""
        if self.random.next() >= self._share * 2**64:
            return self._policy.act(view)
        action = self._expert.act(view)
        policy = self._found(view, action)
        if policy is not None:
            self._recorded.append((self.seat, view.observation.copy(), view.mask.copy(), policy))
        return action

    def _found(self, view: View, action: int) -> NDArray[np.float16] | None:
        """(A,) what there is to learn; None where there was nothing to decide."""
        if isinstance(self._expert, SearchAgent):
            if self._expert.last is None:
                return None
            if "policy" in self._expert.last:
                return np.asarray(self._expert.last["policy"], np.float16)
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
    expert: str = "",
) -> SearchedDecisions:
    """Play games between copies of a `SearchedPlayer`.

    Args:
        model: whose policy plays.
        rules: of the games.
        seeds: of each game.
        search: options of `SearchAgent`.
        share: of the decisions that are searched, from 0 to 1.
        workers: processes; what comes of it doesn't depend on their number.
        expert: name of an agent that takes the search's place; "" for none.

    Raises:
        ValueError: if none of the decisions was searched.
    """
    blocks = np.array_split(np.array(seeds, np.uint64), min(len(seeds), 8 * workers))
    given = [(model, rules, block.tolist(), search, share, expert) for block in blocks]
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
    expert: str,
) -> list[SearchedDecisions]:
    """The searched decisions of each game that has any."""
    count, parts = rules.num_players, []
    for seed in seeds:
        recorded: list[tuple[Any, ...]] = []
        game = Game(rules, seed)
        player = SearchedPlayer(model, search, share, recorded, expert)
        with Table(game, [player] * count, seat_seeds(seed, count)) as table:
            while not (game.is_over or game.is_truncated):
                table.step()
        if recorded:
            seats, units, mask, policy = (
                np.stack(column) for column in zip(*recorded, strict=True)
            )
            won = np.zeros((len(seats), count), np.float32)
            if game.winner is not None:
                won[np.arange(len(seats)), (game.winner - seats) % count] = 1
            parts.append(SearchedDecisions(units, mask, policy, won))
    return parts
