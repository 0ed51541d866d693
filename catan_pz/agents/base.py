"""The interface of agents: the methods they implement, and the views they receive."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.random_stream import RandomStream
from catan_pz.checks import as_action, check_seed, quoted
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.rules import Rules

VICTORY: Final = "victory"
TRUNCATED: Final = "truncated"
ABORTED: Final = "aborted"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of a game, for one seat.

    Attributes:
        winner: the winning seat; None for nobody.
        points: points of each seat, hidden ones included.
        turns: turns of all players together.
        reason: "victory", "truncated" (by `max_turns`), or "aborted" if the host stopped the game.
    """

    seat: int
    winner: int | None
    points: tuple[int, ...]
    turns: int
    reason: str

    @property
    def won(self) -> bool:
        """Whether the seat won."""
        return self.winner == self.seat


def result_for(record: Any, rules: Rules, seat: int) -> SeatResult:
    """The result of a game, a `STATE` scalar, for one seat."""
    winner, turns = int(record["winner"]), int(record["turn"])
    points = tuple(record["points"][: rules.num_players].tolist())
    if winner >= 0:
        return SeatResult(seat, winner, points, turns, VICTORY)
    reason = TRUNCATED if turns >= (rules.max_turns or float("inf")) else ABORTED
    return SeatResult(seat, None, points, turns, reason)


Seated = Callable[[Any, int], Any]
"""Maps an agent and a row of `Views` to the copy of the agent that plays in that game."""


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The information of the seats to move in K games.

    Attributes:
        observations: (K, N) int8, in natural units, relative to the seat to move.
        masks: (K, A) int8, 1 for each legal action.
        seeds: (K,) uint64, seed of the seat's random stream, the same for all of its decisions.
        random_bits: (K,) uint64, the next number of each stream, the only source of randomness
            for a choice.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    seeds: NDArray[np.uint64]
    random_bits: NDArray[np.uint64]
    _seated: Seated | None = None
    _rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        """K."""
        return len(self.masks)

    def __getitem__(self, rows: NDArray[Any] | slice) -> Self:
        """The views of some rows, given as a slice, as bool (K,) or as indices."""
        return type(self)(
            self.observations[rows],
            self.masks[rows],
            self.seeds[rows],
            self.random_bits[rows],
            self._seated,
            (np.arange(len(self)) if self._rows is None else self._rows)[rows],
        )

    def players(self, agent: Any) -> Iterator[tuple[Any, View]]:
        """The copy of an agent that plays in each row, and its view."""
        if self._seated is None:
            raise RuntimeError(
                f"agent {agent.name!r} decides game by game: let a host play it, such as "
                "catan_pz.agents.table.Table"
            )
        rows = range(len(self)) if self._rows is None else self._rows.tolist()
        for k, row in enumerate(rows):
            yield self._seated(agent, row), View(self.observations[k], self.masks[k])


class Batcher(Protocol):
    """Collects decisions of copies in many games, and returns each once it is made.

    A copy's choice must be the same as in its `act`.
    """

    def submit(self, key: int, own: Any, view: View) -> None:
        """Accept a decision of the copy `own`; `collect` returns it under the key."""

    def collect(self) -> list[tuple[int, int]]:
        """Work for a while; return keys and actions of finished decisions, if any."""
        ...


class Agent(ABC):
    """A player program, which sits in one seat of one game at a time.

    Only `act` must be implemented. Hosts seat copies, made by `copy.copy` for each seat of each
    game. On each copy they call `reset` once, `act` for each of its decisions, `observe` after
    each decision of any seat, then `end` and `close` once each, even if the game is aborted.
    All state of a game must be created in `reset`.

    Attributes:
        name: name in tables of results; by default that of the class.
        needs_belief: whether views must answer `resample`, which costs the host time.
        needs_events: whether `observe` must be called; True for classes that override it.
        stateless: whether a choice depends only on the view, the seed and the random bits, so that
            a host may call `act_batch` on one object for all games, without `reset`, `end` and
            `close`.
        has_batcher: whether copies in many games decide faster with a `batcher`.
        compiles: whether its first decision compiles code; matches request one before they begin.
        seat: the seat in the current game.
        rules: rules of the current game.
    """

    needs_belief: bool = False
    needs_events: bool = False
    stateless: bool = False
    has_batcher: bool = False
    compiles: bool = True
    name: str
    seat: int
    rules: Rules
    _random: RandomStream | None = None

    def __init_subclass__(cls) -> None:
        """Set the defaults of `name` and `needs_events`."""
        super().__init_subclass__()
        if "observe" in cls.__dict__ and "needs_events" not in cls.__dict__:
            cls.needs_events = True
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @property
    def random(self) -> RandomStream:
        """The random stream of this game; all randomness in choices must come from it."""
        if self._random is None:
            raise RuntimeError(f"agent {self.name!r} is in no game: call Agent.reset() first")
        return self._random

    def check_rules(self, rules: Rules) -> None:  # noqa: B027 (a hook, not a duty)
        """Raise a `ValueError` for rules that the agent can't play by."""

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Begin a game; the seed is that of `random`. An override calls this method first."""
        self.check_rules(rules)
        self.seat = seat
        self.rules = rules
        self._random = RandomStream(check_seed(seed))

    @abstractmethod
    def act(self, view: View) -> int:
        """Choose one of the legal actions, marked in `view.mask`."""

    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """(K,) a legal action in each game; by default from the copy that is seated there."""
        chosen = [as_action(player.act(view)) for player, view in views.players(self)]
        return np.array(chosen, np.int64)

    def batcher(self) -> Batcher:
        """A batcher for the decisions of copies in many games, if the agent `has_batcher`."""
        raise RuntimeError(f"agent {self.name!r} has no batcher: call act() of each copy")

    def advise(self, view: View) -> Advice:
        """Rate the actions of a decision of its seat; by default only its choice.

        Called once per decision, on a copy that watches and doesn't play.
        """
        return Advice.of_choice(as_action(self.act(view)))

    def win_probabilities(self, view: View) -> NDArray[np.float64] | None:
        """(P,) each seat's win probability, whoever is to move; None if it doesn't estimate it.

        They sum to 1, or to less if nobody may win. Called on a copy that watches.
        """
        return None

    def win_probabilities_after(
        self, view: View, actions: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
        """(K,) its seat's win probability after each of some legal actions, with the same chance.

        None if it doesn't estimate it. Called on a copy that watches.
        """
        return None

    def observe(self, events: Events) -> None:  # noqa: B027 (a hook, not a duty)
        """Receive the events of any seat's decision, without details hidden from this seat."""

    def report(self) -> Mapping[str, float]:
        """Statistics of the game, such as tokens used; results sum them by name."""
        return {}

    def end(self, result: SeatResult) -> None:  # noqa: B027 (a hook, not a duty)
        """Receive the result of a game that has ended, or that the host has stopped."""

    def close(self) -> None:  # noqa: B027 (a hook, not a duty)
        """Release what `reset` opened; no other call follows."""


class WrappingAgent(Agent):
    """An agent that wraps another one, and forwards the events of the game to it.

    `reset` of the subclass sets `inner`, a copy that was reset, or None for none.
    """

    needs_events = False  # as the inner one does
    inner: Any = None

    def observe(self, events: Events) -> None:
        """Pass the events on."""
        if self.inner is not None:
            self.inner.observe(events)

    def report(self) -> Mapping[str, float]:
        """The inner agent's numbers."""
        return {} if self.inner is None else self.inner.report()

    def end(self, result: SeatResult) -> None:
        """Pass the result on."""
        if self.inner is not None:
            self.inner.end(result)

    def close(self) -> None:
        """Close the inner agent."""
        if self.inner is not None:
            self.inner.close()


class BatchAgent(Agent):
    """An agent that decides in many games with one call, and keeps no state of any game.

    It also plays single games, with the same choices.
    """

    stateless = True

    @abstractmethod
    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """(K,) a legal action in each game, from its own row only, of any integer type."""

    def act(self, view: View) -> int:
        """`act_batch` in one game, with the next number of the random stream."""
        random = self.random
        views = Views(
            view.observation[None],
            view.mask[None],
            np.array((random.seed,), np.uint64),
            np.array((random.next(),), np.uint64),
        )
        chosen: Any = only_choice(self.act_batch(views))
        return int(chosen) if isinstance(chosen, np.integer) else chosen  # for the host to check


def only_choice(given: Any) -> Any:
    """The unchecked choice of `act_batch` in a single game."""
    with suppress(TypeError, ValueError):
        (chosen,) = given
        return chosen
    raise ValueError(f"act_batch gave {quoted(given)} for one game, must give a (1,) array")


def refuse_others(
    name: str, rules: Rules, *, players: int | None = None, trading: bool = True
) -> None:
    """Refuse games for other numbers of players than `players`, or with trade."""
    if rules.trading and not trading:
        raise ValueError(f"agent {name!r} plays games without trade between players")
    if players is not None and rules.num_players != players:
        raise ValueError(
            f"agent {name!r} plays games of {players} players; this one has {rules.num_players}"
        )
