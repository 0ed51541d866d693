"""The interface of agents: what a player program implements, and what it receives."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.random_stream import RandomStream
from catan_pz.agents.views import Views
from catan_pz.checks import as_action, check_seed, quoted
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.rules import Rules

VICTORY: Final = "victory"
TRUNCATED: Final = "truncated"
ABORTED: Final = "aborted"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a game ended, told to one seat.

    Attributes:
        seat: the seat that is told.
        winner: the seat that won, None for nobody.
        points: points of each seat, hidden ones included.
        turns: turns of all players together.
        reason: "victory", "truncated" (by `max_turns`), or "aborted" where the host stopped
            the game.
    """

    seat: int
    winner: int | None
    points: tuple[int, ...]
    turns: int
    reason: str

    @property
    def won(self) -> bool:
        """Whether the seat that is told won."""
        return self.winner == self.seat


def result_for(record: Any, rules: Rules, seat: int) -> SeatResult:
    """The result of a game, a `STATE` scalar, for one seat."""
    winner, turns = int(record["winner"]), int(record["turn"])
    if winner >= 0:
        reason = VICTORY
    else:
        reason = TRUNCATED if turns >= (rules.max_turns or float("inf")) else ABORTED
    points = tuple(record["points"][: rules.num_players].tolist())
    return SeatResult(seat, winner if winner >= 0 else None, points, turns, reason)


class Batcher(Protocol):
    """Takes the decisions of many games in and gives each back when it is made.

    What a copy chooses is what its `act` would have chosen.
    """

    def submit(self, key: int, own: Any, view: View) -> None:
        """Take in a decision of the copy `own`, by the key under which it is given back."""
        ...

    def collect(self) -> list[tuple[int, int]]:
        """Work for a while on what was submitted: keys and actions of what is decided, if any."""
        ...


class Agent(ABC):
    """A player program, which sits in one seat of one game at a time.

    Only `act` must be implemented. Hosts seat copies, made by `copy.copy` for each seat of each
    game. On each copy they call `reset` once, `act` for each of its decisions, `observe` after
    each decision of anyone, then `end` and `close` once each, also where the game breaks off.
    What a game changes of an agent must be created in `reset`.

    Attributes:
        name: for tables of results; the name of the class where it has none of its own.
        needs_belief: whether views must answer `resample`, which costs the host time.
        needs_events: whether `observe` must be called; True for classes that override it.
        stateless: whether a choice follows from the view, the seed and the random bits alone,
            so that a host may call `act_batch` on one object for all games, without `reset`,
            `end` and `close`.
        has_batcher: whether copies that are seated in many games decide faster by a `batcher`.
        seat: the seat in the present game.
        rules: the rules of the present game.
    """

    needs_belief: bool = False
    needs_events: bool = False
    stateless: bool = False
    has_batcher: bool = False
    name: str
    seat: int
    rules: Rules
    _random: RandomStream | None = None

    def __init_subclass__(cls) -> None:
        """Name the class, and tell hosts whether it observes."""
        super().__init_subclass__()
        if "observe" in cls.__dict__ and "needs_events" not in cls.__dict__:
            cls.needs_events = True
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @property
    def random(self) -> RandomStream:
        """The random stream of this game: all randomness in choices must come from it.

        Raises:
            RuntimeError: before `reset`.
        """
        if self._random is None:
            raise RuntimeError(f"agent {self.name!r} is in no game: call Agent.reset() first")
        return self._random

    def check_rules(self, rules: Rules) -> None:  # noqa: B027 (a hook, not a duty)
        """Raise a `ValueError` for rules that the agent can't play by; most play by all."""

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins. An override calls this method first.

        Args:
            seat: the agent's seat.
            rules: the rules of the game.
            seed: from 0 to 2**64 - 1, of `random`.
        """
        self.check_rules(rules)
        self.seat = seat
        self.rules = rules
        self._random = RandomStream(check_seed(seed))

    @abstractmethod
    def act(self, view: View) -> int:
        """Choose a legal action.

        Args:
            view: what the seat may know; `view.mask` marks the legal actions.
        """

    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """Choose an action in each of K games.

        By default the copy that is seated in each game acts, one after the other.

        Args:
            views: what the seats to move may know.

        Returns:
            (K,) legal actions, of any integer type.
        """
        chosen = [as_action(player.act(view)) for player, view in views.players(self)]
        return np.array(chosen, np.int64)

    def batcher(self) -> Batcher:
        """Where copies that are seated in many games decide together, if the agent `has_batcher`.

        Raises:
            RuntimeError: if it has none.
        """
        raise RuntimeError(f"agent {self.name!r} has no batcher: call act() of each copy")

    def advise(self, view: View) -> Advice:
        """Say what it thinks of the actions in a decision; by default its choice alone.

        Asked of a copy that looks on and plays in no seat, once for a decision of its seat.
        """
        return Advice.of_choice(as_action(self.act(view)))

    def win_probabilities(self, view: View) -> NDArray[np.float64] | None:
        """Each seat's win probability as the agent estimates it, whoever is to move.

        Asked of a copy that looks on, like `advise`.

        Returns:
            (P,) by seat, 1 in all or less where nobody may win; None where it estimates none, as
            by default.
        """
        return None

    def observe(self, events: Events) -> None:  # noqa: B027 (a hook, not a duty)
        """A decision was played, by any seat, forced ones included.

        Args:
            events: what it brought, as far as the seat may know; see `catan_pz.events`.
        """

    def end(self, result: SeatResult) -> None:  # noqa: B027 (a hook, not a duty)
        """The game has ended, or the host has stopped it."""

    def close(self) -> None:  # noqa: B027 (a hook, not a duty)
        """Release what `reset` opened; no other call follows."""


class BatchAgent(Agent):
    """An agent that decides in many games by one call, and keeps nothing of any game.

    It plays single games as well, by the same choices.
    """

    stateless = True

    @abstractmethod
    def act_batch(self, views: Views) -> NDArray[np.integer[Any]]:
        """Choose an action in each of K games, in each by its own row alone.

        Args:
            views: observations (K, N), masks (K, A), and 64 random bits for each game.

        Returns:
            (K,) legal actions, of any integer type.
        """

    def act(self, view: View) -> int:
        """`act_batch` in one game, by the next number of the random stream."""
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
    """What `act_batch` chose in a single game, still to be checked."""
    try:
        is_one = np.shape(given) == (1,)
    except ValueError:  # a list of lists of several lengths
        is_one = False
    if not is_one:
        raise ValueError(f"act_batch gave {quoted(given)} for one game, must give a (1,) array")
    return given[0]


def refuse_others(
    name: str, rules: Rules, *, players: int | None = None, trading: bool = True
) -> None:
    """Refuse games of another number of players, and those with trade that an agent can't play.

    Args:
        name: of the agent.
        rules: of the game.
        players: how many the agent plays with, None for any number.
        trading: whether it plays games with trade between players.
    """
    if rules.trading and not trading:
        raise ValueError(f"agent {name!r} plays games without trade between players")
    if players is not None and rules.num_players != players:
        raise ValueError(
            f"agent {name!r} plays games of {players} players; this one has {rules.num_players}"
        )
