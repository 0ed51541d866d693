"""One game, played from Python: its record, its rules, and calls on them."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION, NUM_ACTIONS, describe_action
from catan_pz.checks import as_action, check_seat, check_seed, not_possible, quoted
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.outcomes import NUM_OUTCOMES
from catan_pz.engine.play import DECISIONS, ENDS, PAUSED
from catan_pz.engine.ranges import ranges_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.engine.tally import NUM_TERMS
from catan_pz.engine.violations import Violation
from catan_pz.events import (
    ChanceOutcome,
    Events,
    NamedOutcome,
    as_outcome,
    decode,
    event_arrays,
    outcome_code,
    outcome_from_code,
)
from catan_pz.game import calls as game_calls
from catan_pz.game.illegal import why_illegal
from catan_pz.game.state_json import derived_differences, state_from_dict, state_to_dict
from catan_pz.kernels.rule import bound
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, Phase


def violations_of(games: np.ndarray) -> list[Violation]:
    """The rules that each of some records (B,) of `STATE` breaks."""
    spare = as_games(np.empty_like(games))
    found = [Violation(int(game_calls.violations(games, spare, i))) for i in range(len(games))]
    stale = [own.tobytes() != derived.tobytes() for own, derived in zip(games, spare, strict=True)]
    return [flags | Violation.STALE * late for flags, late in zip(found, stale, strict=True)]


def drawn_seed() -> int:
    """A seed from the system's randomness."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


class IllegalActionError(ValueError):
    """An action that the rules don't allow now; the game is unchanged."""


Listener = Callable[["Game", Events], None]
"""Called after each decision with the game and its events, hidden ones included."""


class Game:
    """A game of Catan.

    Args:
        rules: a `Rules`, a preset's name, or None for the defaults.
        seed: from 0 to 2**64 - 1; drawn at random if None.
        **options: single options of the rules to replace.

    Attributes:
        games: (1,) array of `STATE`, the game itself.
        listeners: called after each decision, forced ones included; see `Listener`.
        terms: (4, F) int8, each `RewardTerm` of the last step, as far as counted.
        origin: a new object after each `reset` and `restore`, which tells listeners that another
            game has begun.
    """

    def __init__(
        self, rules: Rules | str | None = None, seed: int | None = None, **options: Any
    ) -> None:
        self.rules = Rules.of(Game, rules, options)
        self.listeners: list[Listener] = []
        self._attach(np.zeros(1, STATE))
        self.reset(seed)

    def _attach(self, games: np.ndarray) -> None:
        self.games = as_games(games)
        self.origin = object()
        self._mask = np.zeros(self.rules.num_actions, np.int8)
        self._shown_mask = self._mask.view()
        self._shown_mask.flags.writeable = False
        self._tells = False
        self._script = script_of(self.rules)
        self._events = event_arrays(1)[0]
        self.terms = np.zeros((MAX_PLAYERS, NUM_TERMS), np.int8)
        self._call: Callable[..., int] = bound(game_calls.play)

    def reset(self, seed: int | None = None) -> None:
        """Start a new game of the same rules."""
        seed = drawn_seed() if seed is None else check_seed(seed)
        self.origin = object()
        game_calls.deal_game(self.games, 0, np.uint64(seed), deal_of(self.rules), self._mask)

    @property
    def state(self) -> Any:
        """The record, a `STATE` scalar; a view of the current game."""
        return self.games[0]

    @property
    def player(self) -> int:
        """The seat to move; the winner once the game is over."""
        return int(self.games["player"][0])

    @property
    def turn_player(self) -> int:
        """The seat whose turn it is."""
        return int(self.games["turn_player"][0])

    @property
    def phase(self) -> Phase:
        """The kind of decision that the game waits for."""
        return Phase(int(self.games["phase"][0]))

    @property
    def turn(self) -> int:
        """Turns ended so far."""
        return int(self.games["turn"][0])

    @property
    def winner(self) -> int | None:
        """The seat that has won, or None."""
        winner = int(self.games["winner"][0])
        return None if winner < 0 else winner

    @property
    def is_over(self) -> bool:
        """Whether a player has won."""
        return int(self.games["phase"][0]) == Phase.OVER

    @property
    def is_truncated(self) -> bool:
        """Whether the turn limit is reached without a winner."""
        most = self.rules.max_turns
        return most is not None and self.turn >= most and not self.is_over

    @property
    def points(self) -> NDArray[np.int8]:
        """(P,) points of each seat, hidden ones included."""
        return np.array(self.games["points"][0, : self.rules.num_players])

    @property
    def mask(self) -> NDArray[np.int8]:
        """(A,) 1 for each legal action of the player to move; a read-only view of the game."""
        return self._shown_mask

    def legal_actions(self) -> NDArray[np.int64]:
        """Ids of the legal actions, in increasing order."""
        return np.flatnonzero(self._mask)

    def step(self, action: int, outcome: NamedOutcome | None = None) -> None:
        """Play an action, with a random outcome unless one is named.

        Args:
            action: legal now.
            outcome: the dice as a pair, the `Resource` stolen, or the `Card` bought; the last
                two also by name in lower case.
        """
        self.play(self.prepare(action, outcome))

    def step_once(self, action: int, outcome: NamedOutcome | None = None) -> Events:
        """Play an action like `step`, but no forced ones after it; return its events."""
        self._play_once(self.prepare(action, outcome), DECISIONS)
        return self._tell()

    def play(self, action: int, detail: int = ENDS) -> int:
        """Play a legal action and the forced ones that follow, and notify the listeners of each.

        Args:
            action: not checked here.
            detail: what to count in `terms` without listeners; with listeners, everything.

        Returns:
            The step's code (`engine.play`), with the set of non-zero terms.
        """
        if not self.listeners:
            return self._play_once(action, detail)
        self._refuse_listeners()
        code = PAUSED
        while code & PAUSED:
            code = self._play_once(action, DECISIONS)
            self._tell()
            action = NO_ACTION
        return code

    def _play_once(self, action: int, detail: int) -> int:
        return self._call(
            self.games, 0, action, self._script, detail, self._events, self.terms, self._mask
        )

    def _tell(self) -> Events:
        events = decode(self._events)
        self._tells = True
        try:
            for listener in self.listeners:
                listener(self, events)
        finally:
            self._tells = False
        return events

    def _refuse_listeners(self) -> None:
        if self._tells:
            raise RuntimeError("a listener can't play on the game that it listens to; play a copy")

    def prepare(self, action: int, outcome: NamedOutcome | None) -> int:
        """Check an action that is about to be played, and store its named outcome."""
        self._refuse_listeners()
        action = as_action(action)
        self.check(action)
        if outcome is not None:
            self.games["outcome"][0] = self._outcome_code(action, outcome)
        return action

    def check(self, action: int) -> None:
        """Raise `IllegalActionError` unless an action is legal now, `TypeError` for no integer."""
        action = as_action(action)
        if not (0 <= action < len(self._mask) and self._mask[action]):
            raise IllegalActionError(why_illegal(self.snapshot(), self._mask, action))

    def _outcome_code(self, action: int, outcome: NamedOutcome) -> int:
        named = as_outcome(action, outcome)
        code = -1 if named is None else outcome_code(named)
        if code < 0 or not self._ways(action)[code]:
            possible = self.outcomes(action)
            raise ValueError(
                f"outcome {quoted(outcome)} is impossible for {describe_action(action)}; "
                f"possible: {list(possible) or 'none, the action has no random outcome'}"
            )
        return code

    def _ways(self, action: int) -> NDArray[np.int64]:
        """The number of equally likely draws for each outcome of an action, by outcome code."""
        ways = np.zeros(NUM_OUTCOMES, np.int64)
        game_calls.count_outcomes(self.games, 0, action, ways)
        return ways

    def outcomes(self, action: int) -> dict[ChanceOutcome, float]:
        """The chance outcomes of an action, with the probability of each.

        Probabilities are those given all hands, but neither the order of the deck nor scripted
        dice. Empty for an action without chance.
        """
        action = as_action(action)
        if not 0 <= action < NUM_ACTIONS:
            raise not_possible("action", action, f"an int from 0 to {NUM_ACTIONS - 1}")
        ways = self._ways(action)
        total = int(ways.sum())
        return {
            outcome_from_code(action, code): int(ways[code]) / total
            for code in np.flatnonzero(ways).tolist()
        }

    def observe(self, viewer: int) -> NDArray[np.int8]:
        """(N,) int8 a seat's observation, in the natural units of `observation.segments`."""
        viewer = check_seat(viewer, self.rules.num_players)
        obs = np.empty(SIZE, np.int8)
        game_calls.look_at_units(self.games, 0, viewer, obs, np.empty_like(self._mask))
        return obs

    def observe_scaled(self, viewer: int) -> NDArray[np.float32]:
        """(N,) float32 a seat's observation, scaled to [0, 1]."""
        viewer = check_seat(viewer, self.rules.num_players)
        units, scaled = np.empty(SIZE, np.int8), np.empty(SIZE, np.float32)
        game_calls.look(self.games, 0, viewer, units, scaled, np.empty_like(self._mask))
        return scaled

    def validate(self) -> Violation:
        """The rules that the state breaks; `Violation.NONE` for a valid state."""
        return violations_of(self.games)[0]

    def snapshot(self) -> dict[str, Any]:
        """The full state as JSON values."""
        return state_to_dict(self.games[0], self.rules)

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go to the state of a snapshot, rules included."""
        other = type(self).from_snapshot(data)
        other.listeners = self.listeners
        self.__dict__.update(other.__dict__)

    @classmethod
    def from_snapshot(cls, data: Mapping[str, Any]) -> Self:
        """A game in the state of a snapshot; an error names the wrong entry."""
        games, rules = state_from_dict(data)
        game = cls.from_games(games, rules)
        wrong = derived_differences(game.games[0], data)
        if wrong:
            raise ValueError("; ".join(wrong))
        broken = game.validate()
        if broken:
            raise ValueError(f"state breaks the rules: {broken!r}")
        return game

    @classmethod
    def from_games(cls, games: np.ndarray, rules: Rules) -> Self:
        """A game on a record (1,) of `STATE`; derived fields are recomputed in place.

        The record isn't checked against the rules; `from_snapshot` and `validate` do that.
        """
        if getattr(games, "shape", None) != (1,) or games.dtype != STATE or not games.flags.carray:
            raise ValueError(
                "games must be an array (1,) of engine.state.STATE, writable and aligned, got "
                f"{quoted(games)}"
            )
        ranges_of(rules).check(games)
        return cls._on(games, rules)

    @classmethod
    def _on(cls, games: np.ndarray, rules: Rules) -> Self:
        """A game on a record known to follow these rules."""
        game = cls.__new__(cls)
        game.rules = rules
        game.listeners = []
        game._attach(games)
        game_calls.refresh(game.games, 0, game._mask)
        return game

    def __repr__(self) -> str:
        players, phase = self.rules.num_players, self.phase.name.lower()
        return f"<game of {players}: turn {self.turn}, phase {phase}, player {self.player} to move>"

    def _repr_svg_(self) -> str:
        """The picture that notebooks show, hidden hands included."""
        from catan_pz.render.svg import board_svg

        return board_svg(self.snapshot(), width=840)

    def copy(self) -> Self:
        """An independent game in the same state, without listeners."""
        return type(self)._on(self.games.copy(), self.rules)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("rules", "origin", "listeners")}
        return kept | {"games": np.asarray(self.games)}

    def __setstate__(self, data: dict[str, Any]) -> None:
        game = type(self).from_games(data.pop("games").copy(), data["rules"])
        self.__dict__.update(game.__dict__ | data)
