"""verifiers: seats of games in words as tasks, for its evaluations and the trainers built on it.

    python examples/libraries/verifiers_taskset.py -m MODEL --client.base-url URL -n 4 -r 8

The options are those of `vf-eval`, and `--env.taskset.NAME` those of `CatanConfig`. A task is a
seed: its board, seats and dice, so that the rollouts of a group play the same game. The reward is
the seat's, as `TextEnv` gives it. Trainers find the module by its name where its folder is on the
path: `env.taskset.id = "verifiers_taskset"`.
"""

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from catan_pz.env.text import TextEnv
from catan_pz.text.primer import NAMES, RULES

SYSTEM = f"{RULES} {NAMES} Answer with the number of one legal action and nothing else."


class CatanConfig(vf.TasksetConfig):
    """Options of the games."""

    num_players: int = 2
    opponents: str = "heuristic"
    trading: bool = False
    reward: str = "points_gained"
    decisions: int = 60
    """answers of an episode at most"""

    def reset(self, seed: int) -> tuple[TextEnv, str]:
        """A game at the seat's first decision."""
        options = self.model_dump(include={"num_players", "opponents", "trading", "reward"})
        env = TextEnv(**options)
        return env, env.reset(seed=seed)[0]


class CatanData(vf.TaskData):
    """The data of a task."""

    seed: int


class CatanTask(vf.Task[CatanData, vf.State, vf.TaskConfig]):
    """One seat of a game with a seed."""


class CatanTaskset(vf.Taskset[CatanTask, CatanConfig]):
    """A task for every seed."""

    INFINITE = True

    def load(self) -> Iterator[CatanTask]:
        """Tasks with the seeds 0, 1, ..."""
        for seed in count():
            env, prompt = self.config.reset(seed)
            env.close()
            data = CatanData(name=f"catan#{seed}", prompt=prompt, system_prompt=SYSTEM, seed=seed)
            yield CatanTask(data, self.config.task)


class Chat(vf.Harness[vf.HarnessConfig]):
    """A conversation without tools, in this process: quicker than `null`, a process each turn."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):  # type: ignore[no-untyped-def]
        """Ask for one answer; the trace takes it down on the way."""
        _, prompt = self.resolve_prompt(data)
        said = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt
        messages: Any = [{"role": "system", "content": data.system_prompt}]
        messages += [message_to_wire(message) for message in said]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class CatanEnvConfig(vf.EnvConfig):
    """The player of the seat."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class CatanEnv(vf.Env[CatanEnvConfig]):
    """An episode: the model answers, and the game continues to the seat's next decision."""

    async def run(self, task: CatanTask, agents: vf.Agents) -> None:
        """Play until the game, the model or the number of decisions comes to an end."""
        config = self.taskset.config
        env, _ = config.reset(task.data.seed)
        total, info, text = 0.0, {"fallbacks": 0}, None
        async with agents.player.interaction(task) as interaction:
            for _ in range(config.decisions):
                segment = await interaction.turn(text)
                if segment.terminated:
                    break
                text, reward, terminated, truncated, info = env.step(segment.last_reply)
                total += reward
                if terminated or truncated:
                    break
        env.close()
        interaction.trace.record_reward("game", total)
        interaction.trace.record_metric("fallbacks", info["fallbacks"])


__all__ = ["CatanEnv", "CatanTaskset", "Chat"]

if __name__ == "__main__":
    from verifiers.v1.cli.eval.main import main

    main([Path(__file__).stem, "--no-push", "--no-rich", *sys.argv[1:]])
