"""Checks of a player program that decides in many games by one call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.agents.registry import as_agent
from catan_pz.agents.views import Views
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import check_count
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.testing.faults import AgentError, worded

GAMES = 24
PART = 7
_FIRST = np.zeros(GAMES, np.int64)


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

    Args:
        agent: the agent, or the name of one.
        rules: a `Rules`, a preset's name, or None for the base game.
        decisions: decisions in each game.
        seed: of the games and the random bits.
        **options: single options of `Rules`.
    """
    given = as_agent(agent)
    if not given.stateless:
        raise ValueError(f"agent {agent!r} is not possible; allowed: a BatchAgent")
    rules = Rules.make(rules, **options)
    decisions = check_count("decisions", decisions)
    batch = CpuBatch(GAMES, rules, seed=seed)
    rng = np.random.default_rng(seed)
    for step in range(decisions):
        seeds = rng.integers(2**64, size=GAMES, dtype=np.uint64)
        assert batch.observation is not None
        views = Views(batch.observation, batch.mask, seeds, nth_numbers(seeds, _FIRST))
        chosen = _choices(given, rules, views)
        if step % 5 == 0:
            _compare(given, rules, views, chosen, rng)
        batch.step(
            chosen if step % 2 else np.where(rng.random(GAMES) < 0.5, chosen, batch.sample())
        )


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
    everybody = np.arange(GAMES)
    order = rng.permutation(GAMES)
    groups = {
        "when asked again": everybody,
        "in another order": order,
        "in a part of the games": order[:PART],
        "alone": order[:1],
    }
    for how, rows in groups.items():
        again = _choices(agent, rules, views[rows])
        _must_agree(agent, rules, how, rows, chosen[rows], again)
    row = int(order[0])
    agent.reset(0, rules, int(views.seeds[row]))
    single = agent.act(View(views.observations[row].copy(), views.masks[row].copy()))
    _must_agree(agent, rules, "by `act`", order[:1], chosen[order[:1]], np.array([single]))


def _must_agree(
    agent: Agent,
    rules: Rules,
    how: str,
    rows: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
) -> None:
    differ = np.flatnonzero(one != other)
    if len(differ):
        k = int(differ[0])
        raise AgentError(
            f"agent {agent.name!r}, row {rows[k]}: {worded(int(one[k]), rules)} among all games, "
            f"but {worded(int(other[k]), rules)} {how}. A choice must rest on its own row alone, "
            "its random bits included"
        )
