"""Checks of an agent: legal, deterministic given its seed, independent of hidden information."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import describe_action
from catan_pz.agents.base import Agent, Views
from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import nth_numbers, seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.agents.table import Table
from catan_pz.batch.cpu import CpuBatch
from catan_pz.belief import Belief
from catan_pz.checks import as_action, check_count, check_seed, not_possible
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules

REPEATS = 4
"""Repetitions of a choice before it counts as determined by the seed."""
GAMES, PART = 24, 7
"""Games of a batch, and of a part of it."""
_FIRST = np.zeros(GAMES, np.int64)


class AgentError(AssertionError):
    """An agent breaks a rule for agents; the message says which, and where."""


def worded(action: int, rules: Rules) -> str:
    """An action with its meaning."""
    if not 0 <= action < rules.num_actions:
        return f"{action} (not in the action space of {rules.num_actions})"
    meaning = dict(describe_action(action))
    kind = meaning.pop("kind")
    return f"{action} ({' '.join([str(kind), *(f'{k}={v}' for k, v in meaning.items())])})"


def check_agent(
    agent: Agent | str,
    rules: Rules | str | None = None,
    *,
    games: int = 4,
    seed: int = 0,
    **options: Any,
) -> None:
    """Check that an agent follows the rules for agents; raise `AgentError` if not.

    It plays games against random players, each seat in turn, and is checked at every decision
    with a choice:

    - it chooses a legal action;
    - it chooses the same when called again, and when the game is played again: all randomness
      comes from `Agent.random`, and nothing is left over from another game;
    - it chooses the same when everything hidden from its seat is resampled from the exact belief;
    - it doesn't change the view.

    For a stateless agent, such as a `BatchAgent`, `check_batch_agent` follows.

    Args:
        agent: the agent, or its name. It must support `copy.deepcopy`.
        rules: a `Rules`, a preset's name, or None for the base game.
        games: number of games. Each choice is repeated up to three times.
        seed: of the first game; the others' seeds follow from it.
        **options: single options of `Rules`; a small `max_turns` saves time.
    """
    agent = as_agent(agent)
    rules = Rules.make(rules, **options)
    seed = check_seed(seed)
    for number in range(check_count("games", games)):
        where = _Place(agent, rules, number % rules.num_players, (seed + number) % 2**64)
        pairs = zip(where.play(looked_at=True), where.play(looked_at=False), strict=False)
        for k, (one, other) in enumerate(pairs):
            if one != other:
                raise AgentError(
                    f"{where}, decision {k}: {worded(one, rules)}, but {worded(other, rules)} when "
                    "the same game is played again. All randomness must come from `Agent.random`, "
                    "and `reset` must create anew whatever a game changes"
                )
    if agent.stateless:
        check_batch_agent(agent, rules, seed=seed)


class _Place:
    """A seat of one game in which an agent is checked."""

    def __init__(self, agent: Agent, rules: Rules, seat: int, seed: int) -> None:
        self.agent, self.rules, self.seat, self.seed = agent, rules, seat, seed

    def __str__(self) -> str:
        return f"agent {self.agent.name!r}, game of seed {self.seed}, seat {self.seat}"

    def play(self, looked_at: bool) -> list[int]:
        """Play the game to its end; return the agent's choices."""
        game = Game(self.rules, self.seed)
        seats: list[Agent | None] = [RandomAgent() for _ in range(self.rules.num_players)]
        seats[self.seat] = self.agent
        belief = Belief(self.seat, game.state)
        game.listeners.append(belief.listen)
        chosen: list[int] = []
        with Table(game, seats, seat_seeds(self.seed, self.rules.num_players)) as table:
            player = table.agents[self.seat]
            assert player is not None
            while not (game.is_over or game.is_truncated):
                if game.player != self.seat:
                    table.step()
                    continue
                spot = f"{self}, decision {len(chosen)} ({game.phase.name.lower()})"
                view = table.view(self.seat)
                if looked_at and int(view.mask.sum()) > 1:
                    action = self._look(spot, game, belief, player, view)
                else:
                    action = self._ask(spot, player, view)
                chosen.append(action)
                game.step(action)
        return chosen

    def _ask(self, spot: str, player: Agent, view: View) -> int:
        """Return a choice and check it by itself."""
        before = view.observation.tobytes(), view.mask.tobytes()
        given = player.act(view)
        try:
            action = as_action(given)
        except TypeError as error:
            raise AgentError(f"{spot}: {error}") from None
        if (view.observation.tobytes(), view.mask.tobytes()) != before:
            raise AgentError(f"{spot}: it changed its view; copy what is to be written to")
        if not (0 <= action < len(view.mask) and view.mask[action]):
            raise AgentError(f"{spot}: {worded(action, self.rules)} is not legal")
        return action

    def _look(self, spot: str, game: Game, belief: Belief, player: Agent, view: View) -> int:
        """Return a choice and compare it with those of copies given other hidden cards."""
        # Copies include everything that the player holds, the game too. So the player itself
        # chooses while the hidden cards differ.
        copies = [deepcopy(player) for _ in range(2)]
        first = self._ask(spot, copies[0], self._fresh(view))
        truth = game.games.copy()
        rng = np.random.default_rng([self.seed, int(view.observation.sum()) & 0xFFFF, first])
        game.games[0] = belief.resample(game.state, rng)[0]
        try:
            blind = self._ask(spot, player, self._fresh(view))
        finally:
            game.games[0] = truth[0]
        if blind == first:
            return first
        told = f"{spot}: {worded(first, self.rules)}, but"
        for _ in range(REPEATS):
            again = self._ask(spot, deepcopy(copies[1]), self._fresh(view))
            if again != first:
                raise AgentError(
                    f"{told} {worded(again, self.rules)} when asked again. All randomness must "
                    "come from `Agent.random`"
                )
        raise AgentError(
            f"{told} {worded(blind, self.rules)} with other cards hidden from its seat. It must "
            "choose by its view only"
        )

    @staticmethod
    def _fresh(view: View) -> View:
        return View(view.observation.copy(), view.mask.copy(), view._resampler)


def check_batch_agent(
    agent: Agent | str,
    rules: Rules | str | None = None,
    *,
    decisions: int = 200,
    seed: int = 0,
    **options: Any,
) -> None:
    """Check that a batch agent's choice in each game depends on that game's row only.

    It plays all seats of some games at once, with random actions in every other step:

    - it returns one legal action per game, as integers;
    - it doesn't change its arguments;
    - it chooses the same when called again, in a game alone, in a part of the games and in
      another order;
    - `act` in a single game chooses the same with the same random bits.

    The arguments are those of `check_agent`, plus a number of decisions in each game.
    """
    given = as_agent(agent)
    if not given.stateless:
        raise not_possible("agent", agent, "a BatchAgent")
    rules = Rules.make(rules, **options)
    batch, rng = CpuBatch(GAMES, rules, seed=seed), np.random.default_rng(seed)
    for step in range(check_count("decisions", decisions)):
        seeds = rng.integers(2**64, size=GAMES, dtype=np.uint64)
        assert batch.observation is not None
        views = Views(batch.observation, batch.mask, seeds, nth_numbers(seeds, _FIRST))
        chosen = _choices(given, rules, views)
        if step % 5 == 0:
            _compare(given, rules, views, chosen, rng)
        own = step % 2 | (rng.random(GAMES) < 0.5)
        batch.step(np.where(own, chosen, batch.sample()))


def _choices(agent: Agent, rules: Rules, views: Views) -> NDArray[np.int64]:
    """(K,) choices, each checked by itself."""
    name = f"agent {agent.name!r}"
    given = views[np.arange(len(views))]
    answer = agent.act_batch(given)
    try:
        chosen = np.asarray(answer)
    except Exception as error:  # from ragged lists or another library's arrays
        raise AgentError(f"{name}: act_batch must give an array: {error}") from error
    for part in ("observations", "masks", "seeds", "random_bits"):
        if (getattr(given, part) != getattr(views, part)).any():
            raise AgentError(f"{name}: it changed what it was given; copy what is written to")
    if chosen.shape != (len(views),) or not np.issubdtype(chosen.dtype, np.integer):
        raise AgentError(
            f"{name}: act_batch gave {chosen.dtype} {chosen.shape}, must give integers "
            f"{(len(views),)}"
        )
    for k, action in enumerate(chosen.tolist()):
        if not (0 <= action < views.masks.shape[1] and views.masks[k, action]):
            raise AgentError(f"{name}, row {k}: {worded(action, rules)} is not legal")
    return chosen.astype(np.int64)


def _compare(
    agent: Agent,
    rules: Rules,
    views: Views,
    chosen: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Repeat the choices among other games."""
    order = rng.permutation(GAMES)
    row = order[:1]
    asked = {
        how: (rows, _choices(agent, rules, views[rows]))
        for how, rows in (
            ("when asked again", np.arange(GAMES)),
            ("in another order", order),
            ("in a part of the games", order[:PART]),
            ("alone", row),
        )
    }
    agent.reset(0, rules, int(views.seeds[row[0]]))
    single = agent.act(View(views.observations[row[0]].copy(), views.masks[row[0]].copy()))
    asked["by `act`"] = row, np.array([single])
    for how, (rows, again) in asked.items():
        differ = np.flatnonzero(chosen[rows] != again)
        if len(differ):
            k = int(differ[0])
            one, other = worded(int(chosen[rows[k]]), rules), worded(int(again[k]), rules)
            raise AgentError(
                f"agent {agent.name!r}, row {rows[k]}: {one} among all games, but {other} {how}. "
                "A choice must depend on its own row only, its random bits included"
            )
