"""PettingZoo's environments and the one for a single seat."""

from random import Random
from typing import Any

from catan_pz import catan_v0
from catan_pz.engine.violations import Violation
from catan_pz.env.single_seat import SingleSeatEnv
from tests.fuzz.odd import chosen_options, odd, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import drawn_state
from tests.fuzz.targets.options import drawn_rules

USUAL: dict[str, tuple[Any, ...]] = {
    "observation": ("flat", "dict", "units"),
    "reward": (None, "win_loss", "points_gained"),
    "render_mode": (None, "ansi"),
    "mask_in_info": (True, False),
}
OUTCOMES = ((1, 1), [3, 4], (0, 7), "ore", "knight", 3)


def _made(rng: Random, tally: Tally, make: Any, usual: dict[str, Any]) -> Any:
    """An environment with odd options, None if they are refused.

    There is none with an odd function as its reward either: what it gives is refused in steps.
    """
    options = drawn_rules(rng) | chosen_options(rng, usual)
    accepted, env = tally.attempt(make, **options)
    return env if accepted and not callable(options.get("reward")) else None


def turns(rng: Random, tally: Tally) -> None:
    """`raw_env` with odd options, seeds, actions, outcomes, agents and states."""
    env = _made(rng, tally, catan_v0.raw_env, USUAL)
    if env is None:
        return
    tally.attempt(env.step, odd_or(rng, 0), allowed=(RuntimeError,))
    tally.attempt(env.reset, seed=odd_or(rng, None, 1))
    env.reset(seed=5)
    allowed = (ValueError, TypeError, RuntimeError)
    for _ in range(8):
        before = env.game.games.tobytes()
        legal = env.game.legal_actions().tolist() or [None]
        call, given = rng.choice(
            (
                (env.step, (odd_or(rng, *legal, share=0.3),)),
                (env.step, (odd_or(rng, *legal, share=0.3),)),
                (env.step_with_outcome, (rng.choice(legal), odd_or(rng, *OUTCOMES, share=0.3))),
                (env.observe, (odd_or(rng, "player_0", "player_3"),)),
            )
        )
        accepted, _ = tally.attempt(call, *given, allowed=allowed)
        require(accepted or env.game.games.tobytes() == before, "a refused call changed the game")
        if env.agents:
            require(env.agent_selection in env.agents, "no agent is to move")
    if rng.random() < 0.5:
        tally.attempt(env.restore, drawn_state(rng))
    if env.render_mode == "ansi":
        require(bool(env.render()), "no text")
    require(env.game.validate() == Violation.NONE, "an environment breaks its game")
    _to_the_end(rng, tally, env)


def _to_the_end(rng: Random, tally: Tally, env: Any) -> None:
    for _ in range(20):
        if not env.agents:
            return
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = mask.nonzero()[0].tolist()
        env.step(rng.choice(legal) if legal else None)
        tally["steps"] += 1


def wrapped(rng: Random, tally: Tally) -> None:
    """`env` and `parallel_env`: PettingZoo's wrappers answer with AssertionError."""
    env = _made(rng, tally, catan_v0.env, USUAL)
    if env is None:
        return
    env.reset(seed=odd_or(rng, 1, share=0.0))
    for _ in range(5):
        if not env.agents:
            break
        _, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        mask = env.observe(env.agent_selection)["action_mask"]
        action = odd_or(rng, int(mask.argmax()), 0, 388, share=0.2)
        try:
            env.step(action)
        except (AssertionError, ValueError, TypeError):
            tally["refused"] += 1
    tally["inputs"] += 5
    raw = env.unwrapped
    require(raw.game.validate() == Violation.NONE, "an environment breaks its game")


def parallel(rng: Random, tally: Tally) -> None:
    """`parallel_env` with actions of some agents."""
    env = _made(rng, tally, catan_v0.parallel_env, USUAL)
    if env is None:
        return
    observations, _ = env.reset(seed=3)
    for _ in range(5):
        actions = {a: int(seen["action_mask"].argmax()) for a, seen in observations.items()}
        observations, *_ = env.step(actions)
        tally["steps"] += 1
        if not env.agents:
            return


def single_seat(rng: Random, tally: Tally) -> None:
    """`SingleSeatEnv` with odd options, opponents, seeds and actions."""
    usual = {name: values for name, values in USUAL.items() if name != "mask_in_info"} | {
        "seat": (0, 1, "random"),
        "opponents": (None, "random", "heuristic", ["random", None, "weighted"]),
        "illegal": ("end", "raise"),
    }
    env = _made(rng, tally, SingleSeatEnv, usual)
    if env is None:
        return
    tally.attempt(env.step, odd(rng), allowed=(RuntimeError,))
    tally.attempt(env.reset, seed=odd_or(rng, None, 1))
    _, info = env.reset(seed=4)
    allowed = (ValueError, TypeError, RuntimeError)
    for _ in range(6):
        accepted, result = tally.attempt(
            env.step, odd_or(rng, int(info["action_mask"].argmax()), share=0.3), allowed=allowed
        )
        if accepted:
            info = result[-1]
    require(env.game.validate() == Violation.NONE, "an environment breaks its game")
    env.close()


TARGETS = {
    "raw_env": turns,
    "env": wrapped,
    "parallel_env": parallel,
    "single_seat": single_seat,
}
