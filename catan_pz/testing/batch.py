"""Checks of a player program that decides in many games by one call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import describe_action
from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.agents.registry import as_agent
from catan_pz.agents.views import Views
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import check_count, not_possible
from catan_pz.game.view import View
from catan_pz.rules import Rules

GAMES = 24
PART = 7
_FIRST = np.zeros(GAMES, np.int64)


class AgentError(AssertionError):
    """An agent does what an agent must not; the message says what, and where."""


def worded(action: int, rules: Rules) -> str:
    """An action with its meaning."""
    if not 0 <= action < rules.num_actions:
        return f"{action} (not in the action space of {rules.num_actions})"
    meaning = dict(describe_action(action))
    kind = meaning.pop("kind")
    return f"{action} ({' '.join([str(kind), *(f'{k}={v}' for k, v in meaning.items())])})"


def check_batch_agent(
    agent: Agent | str,
    rules: Rules | str | None = None,
    *,
    decisions: int = 200,
    seed: int = 0,
    **options: Any,
) -> None:
    """Check that a batch agent chooses in each game by that game's row alone.

    It plays all seats of some games at once, every other step at random instead:

    - it returns one legal action a game, as integers;
    - it leaves what it is given as it is;
    - it chooses the same when asked again, in a game alone, in a part of the games and in
      another order;
    - `act` in a single game chooses the same by the same random bits.

    The arguments are those of `check_agent`, with a number of decisions in each game.
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
    """(K,) choices, checked for what can be seen of them alone."""
    name = f"agent {agent.name!r}"
    given = views[np.arange(len(views))]
    answer = agent.act_batch(given)
    try:
        chosen = np.asarray(answer)
    except Exception as error:  # of lists with holes, or of another library's arrays
        raise AgentError(f"{name}: act_batch gave what is no array: {error}") from error
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
    """Ask again, in other company."""
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
                "A choice must rest on its own row alone, its random bits included"
            )
