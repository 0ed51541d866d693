"""Text episodes, as a training loop of a language model collects them.

python examples/gallery/text_episodes.py MODEL BASE_URL [games]

Each line that it prints is an episode: its prompts, answers and rewards, and the advantage over
the mean of the episodes on the same board, as group-relative methods take it.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from openai import OpenAI

from catan_pz.env.text import TextEnv
from catan_pz.text.primer import NAMES, RULES

SYSTEM = f"{RULES} {NAMES} Answer with the number of one legal action and nothing else."


def episode(answer: Callable[[str], str], seed: int, decisions: int) -> dict[str, Any]:
    """An episode of a two-player game against `heuristic`, cut after some decisions."""
    env = TextEnv(num_players=2, trading=False, opponents="heuristic", reward="points_gained")
    prompt, _ = env.reset(seed=seed)
    turns, done = [], False
    while not done and len(turns) < decisions:
        said = answer(prompt)
        following, reward, terminated, truncated, info = env.step(said)
        turns.append({"prompt": prompt, "answer": said, "reward": reward, "error": info["error"]})
        prompt, done = following, terminated or truncated
    env.close()
    return {"seed": seed, "return": sum(turn["reward"] for turn in turns), "turns": turns}


def main(model: str, base_url: str, games: int = 4, decisions: int = 200) -> None:
    """Print a group of episodes on one board."""
    client = OpenAI(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", "none"))

    def answer(prompt: str) -> str:
        messages: Any = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
        given = client.chat.completions.create(model=model, messages=messages, max_tokens=50)
        return given.choices[0].message.content or ""

    group = [episode(answer, seed=1, decisions=decisions) for _ in range(games)]
    mean = sum(one["return"] for one in group) / len(group)
    for one in group:
        print(json.dumps(one | {"advantage": one["return"] - mean}))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
