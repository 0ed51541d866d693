"""Hierarchical DQN on two-player Catan: an orchestrator picks a kind of action, executors pick how.

    python examples/published/rocco.py --help
    python examples/published/rocco.py --fast --sub-goal --out runs/rocco

After each decision of a part (orchestrator, settlement, road or trade executor) its Q-network
takes one minibatch from its own replay memory, and its target network moves a little towards it.
The reward is the number of points held after the move. With `--sub-goal` the road executor is
rewarded with the length of its longest road. `--fast` plays many games side by side, and rewards
gains: it learns to win in a minute or two.

The output folder holds the last two checkpoints, `model.npz` (an agent of the name
`rocco:model=runs/rocco/model.npz`) with its card, `episodes.csv`, `curve.csv`, `curve.png` and
`result.json`. `--resume` computes the same numbers as a training that never stopped.

Source: G. E. Rocco, master thesis, Trieste, 2023. What differs: docs/published/rocco.md.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

# Networks this small gain nothing from threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from rocco_learning import (
    EpisodeGames,
    OpenDecisions,
    QNetwork,
    ReplayMemory,
    random_bits,
)
from torch.nn.functional import smooth_l1_loss

from catan_pz import encoders
from catan_pz.agents.network import sample_actions
from catan_pz.checks import check_count, not_possible
from catan_pz.files import write_bytes
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.agent import OUTPUTS, RoccoAgent, RoccoModel
from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.evaluation import line_ups
from catan_pz.training.options import (
    Coefficient,
    Count,
    CountedArgs,
    Share,
    parse,
    set_up,
    training_card,
    whole_numbers,
)
from catan_pz.training.run import Run

Network = Literal["ff", "gcn", "rgcn", "ran"]

FAST = (
    "--games-at-once=128 --learn-every=8 --executor-learn-every=4 --memory=50000 "
    "--learning-rate=5e-4 --reward=gain --gamma=0.97 --no-forced --tau=0.01 "
    "--executor-next=orchestrator --decay=0.99 --executor-decay=0.99 --play-by=target "
    "--eval-every=500 --no-eval-first --checkpoint-every=200"
)
"""The options that `--fast` stands for; those given beside it come after these."""


@dataclass(frozen=True, kw_only=True)
class Args(CountedArgs):
    """Options; the defaults are the thesis' where it states them."""

    episodes: Count = 1000
    """games to train on"""
    fast: bool = False
    """begin with options that learn to win in a minute or two: see FAST"""
    orchestrator: Network = "ff"
    """network of the orchestrator: ff (dense), gcn, rgcn; ran chooses at random"""
    executors: Network = "ff"
    """networks of the settlement, road and trade executors"""
    sub_goal: bool = False
    """reward the road executor with the length of its longest road"""
    opponent: Literal["random", "self"] = "random"
    """opponent: random kinds and actions, or the learner itself"""
    seat: Literal["first", "both"] = "first"
    """the learner's seat: the first, or each in turn"""
    boards: str = "0,1,2,3"
    """seeds of the boards"""
    max_turns: Count = 1000
    """turns after which a game is broken off"""

    reward: Literal["points", "gain"] = "points"
    """points held after the move, or gained by it"""
    mask_bootstrap: bool = True
    """bootstrap from legal choices only"""
    cut_terminal: bool = True
    """no bootstrap from the end of a game"""
    executor_next: Literal["move", "asked", "orchestrator"] = "move"
    """bootstrap of executors: own values after the move, or when asked next; or orchestrator's"""
    forced: bool = True
    """the orchestrator learns from decisions with a single legal kind, too"""
    one_way: bool = False
    """graph networks pass messages along 72 directed edges, not 144"""
    edge_weight: Literal["none", "own"] = "none"
    """weights of the GCN's messages: all alike, or the ownership of the edge"""
    cities: bool = False
    """ownership tells cities from settlements"""

    games_at_once: Count = 1
    """games played side by side"""
    learn_every: Count = 1
    """decisions of the orchestrator for each of its updates"""
    executor_learn_every: Count = 1
    """decisions of an executor for each of its updates"""
    memory: Count = 1000
    """decisions that each replay memory keeps"""
    batch_size: Count = 64
    """decisions in a minibatch"""
    gamma: Share = 0.99
    """discount of a decision"""
    learning_rate: Coefficient = 1e-3
    """learning rate of AdamW"""
    play_by: Literal["online", "target"] = "online"
    """networks of the model: the online ones, or the averaged targets"""
    tau: Share = 0.005
    """share of the network that the target network takes over at each update"""
    decay: Share = 0.996
    """factor of the orchestrator's epsilon from game to game, from 1"""
    executor_decay: Share = 0.997
    """factor of the executors' epsilon from game to game, from 1"""

    out: str = "runs/rocco"
    """output folder"""

    def make_rules(self) -> Rules:
        """The rules of the games."""
        boards = whole_numbers("boards", self.boards)
        return Rules.make("rocco", board=boards, max_turns=self.max_turns)


class DQN(QNetwork):
    """A part that learns: Q-network, target network, and replay memory."""

    def __init__(self, part: str, args: Args, rng: np.random.Generator) -> None:
        first = part == "orchestrator"
        self.args, self.rng, numbers = args, rng, encoders.load("rocco").size
        self.decay = args.decay if first else args.executor_decay
        self.learn_every = args.learn_every if first else args.executor_learn_every
        network = args.orchestrator if first else args.executors
        architecture = Architecture(network, OUTPUTS[part], args.one_way, args.edge_weight)
        rates = {"learning_rate": args.learning_rate, "tau": args.tau}
        super().__init__(architecture, rng, **rates, device=args.device)
        self.critic_part = "orchestrator" if args.executor_next == "orchestrator" else part
        self.critic = self
        self.memory = ReplayMemory(args.memory, numbers, OUTPUTS[self.critic_part])
        self.last = OpenDecisions(args.games_at_once, numbers)
        self.waiting = 0

    @torch.no_grad()
    def choose(self, states: np.ndarray, legal: np.ndarray, episodes: np.ndarray) -> np.ndarray:
        """(D,) random legal choices with probability epsilon, else the best by Q-value."""
        chosen = sample_actions(legal, random_bits(self.rng, len(states)))
        greedy = self.rng.random(len(states)) >= self.decay**episodes
        if greedy.any():
            given = torch.as_tensor(states[greedy], device=self.args.device)
            q_values = self.q_values(given, self.online).cpu().numpy()
            chosen[greedy] = np.where(legal[greedy], q_values, -np.inf).argmax(axis=1)
        return chosen

    def add(self, **decisions: np.ndarray) -> None:
        """Remember decisions; an update follows each `learn_every` of them."""
        self.memory.add(**decisions)
        self.waiting += len(decisions["choice"])
        while self.waiting >= self.learn_every:
            self.waiting -= self.learn_every
            self.learn()

    def learn(self) -> None:
        """Update by one minibatch, once the memory holds one."""
        if self.memory.added < self.args.batch_size:
            return
        batch = self.memory.sample(self.args.batch_size, self.rng, self.args.device)
        q_chosen = self.q_values(batch["state"]).gather(1, batch["choice"][:, None])[:, 0]
        self.update(smooth_l1_loss(q_chosen, self.targets(batch)), q_chosen)

    @torch.no_grad()
    def targets(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """(B,) reward plus the discounted largest Q-value of the target network."""
        following, ended = batch["next_state"], batch["ended"]
        q_values = self.critic.q_values(following, self.critic.target)
        if self.args.mask_bootstrap:  # there are no legal choices at the end of a game
            legal = batch["next_legal"] | ended[:, None]
            q_values = q_values.masked_fill(~legal, -torch.inf)
        best = q_values.amax(1)
        best = best.masked_fill(best == -torch.inf, 0)  # nothing to choose there
        if self.args.cut_terminal:
            best = best.masked_fill(ended, 0)
        return batch["reward"] + self.args.gamma * best

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        return super().get_state() | {
            "memory": pack_arrays(self.memory.get_state()),
            "last": pack_arrays(self.last.arrays),
            "waiting": self.waiting,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        super().set_state(state)
        self.memory.set_state(unpack_arrays(state["memory"]))
        self.last.arrays = unpack_arrays(state["last"])
        self.waiting = state["waiting"]


class Learner:
    """Plays some games side by side, and learns from the decisions of its seats."""

    def __init__(self, args: Args) -> None:
        self.args, self.rules = args, args.make_rules()
        check_count("memory", args.memory, least=args.batch_size)
        self.rng = np.random.default_rng([args.seed, 0x20CC0])
        networks = dict.fromkeys(OUTPUTS, args.executors) | {"orchestrator": args.orchestrator}
        parts = [part for part, network in networks.items() if network != "ran"]
        if args.orchestrator == "ran" and args.executor_next == "orchestrator":
            raise not_possible("executor_next", "orchestrator", "others without one")
        self.dqns = {part: DQN(part, args, self.rng) for part in parts}
        for dqn in self.dqns.values():
            dqn.critic = self.dqns[dqn.critic_part]
        self.encoder = encoders.load("rocco_cities" if args.cities else "rocco")
        both = args.seat == "both"
        self.games = EpisodeGames(self.rules, args.games_at_once, args.seed, both_seats=both)

    def play(self, episode: int) -> dict[str, Any]:
        """Play and learn until one more game is over; its figures."""
        while not self.games.finished:
            self.decide()
            for seat in (0, 1):
                rows = np.flatnonzero(self.games.batch.done & self.learns(seat))
                for part in self.dqns:
                    self.follow_after_step(part, rows, np.full(len(rows), seat))
            self.games.count()
        figures: dict[str, Any] = dict(self.games.finished.pop(0))
        for part, dqn in self.dqns.items():
            figures |= {f"{part}_{name}": value for name, value in dqn.figures().items()}
        return figures

    def learns(self, seats: np.ndarray | int) -> np.ndarray:
        """(K,) whether the learner plays these seats."""
        return (self.games.learner == seats) | (self.args.opponent == "self")

    def decide(self) -> None:
        """Play a decision in each game, and store those to learn from."""
        args, batch = self.args, self.games.batch
        units, masks, seats = batch.units.copy(), batch.mask.copy(), batch.player.astype(np.int64)
        before = {part: self.measure(part) for part in self.dqns}
        roadless = self.games.measured("road_length")[np.arange(len(seats)), seats] == 0
        actions, states, chosen = self.choose(units, masks, seats)
        batch.step(actions)
        for part, (rows, choice) in chosen.items():
            own = seats[rows]
            reward = self.measure(part)[rows, own].astype(np.float32)
            if args.reward == "gain":
                reward -= before[part][rows, own]
            decisions = {"state": states[rows], "choice": choice, "reward": reward}
            self.dqns[part].last.open(rows, own, roadless[rows], **decisions)
            if part != "orchestrator" and args.executor_next == "move":
                self.follow_after_step(part, rows, own)

    def choose(self, units: Any, masks: Any, seats: Any) -> tuple[Any, Any, dict[str, Any]]:
        """(K,) actions, (K, 675) states where parts were asked, and games and choices of each."""
        learns, kinds = self.learns(seats), choices.legal_kinds(masks)
        asked = learns & kinds[:, : choices.NUM_KINDS].any(1)
        asked &= self.args.forced | (masks.sum(1) > 1)
        states = np.zeros((len(seats), self.encoder.size), np.int8)
        states[asked] = self.encoder.encode(units[asked])
        chosen = {}

        def ask(part: str, where: np.ndarray, legal: np.ndarray) -> np.ndarray:
            rows = np.flatnonzero(where)
            for one, dqn in self.dqns.items():
                if dqn.critic_part == part:
                    given = seats[rows], states[rows], legal[rows], np.zeros(len(rows), np.bool_)
                    self.follow(one, rows, *given)
            episodes = self.games.episodes[rows]
            choice = self.dqns[part].choose(states[rows], legal[rows], episodes)
            chosen[part] = rows, choice
            return choice

        kind = sample_actions(kinds, random_bits(self.rng, len(kinds)))
        if "orchestrator" in self.dqns:
            kinds = choices.kinds_to_choose(masks)
            where = asked & choices.orchestrated(masks) & (self.args.forced | (kinds.sum(1) > 1))
            kind[where] = ask("orchestrator", where, kinds)
        ways = choices.of_kind(masks, kind) * choices.WAY_WEIGHTS
        actions = sample_actions(ways, random_bits(self.rng, len(kinds)))
        for one, part in choices.EXECUTOR_OF.items():
            if part in self.dqns:
                where = learns & (kind == one)
                if one == choices.ROAD:
                    where &= ~choices.places_free_road(units)
                way = ask(part, where, choices.legal_ways(masks, part))
                actions[where] = choices.EXECUTORS[part][way]
        return actions, states, chosen

    def measure(self, part: str) -> np.ndarray:
        """(K, 2) the rewarded quantities of a part: points, or length of the longest road."""
        sub_goal = part == "road" and self.args.sub_goal
        return self.games.measured("road_length" if sub_goal else "points")

    def follow(self, part: str, rows: Any, seats: Any, states: Any, legal: Any, ended: Any) -> None:
        """Learn from last decisions of a part: what follows them in D games, and if they ended."""
        of, decisions = self.dqns[part].last.close(rows, seats)
        if len(of):
            following = {"next_state": states[of], "next_legal": legal[of], "ended": ended[of]}
            self.dqns[part].add(**decisions, **following)

    def follow_after_step(self, part: str, rows: np.ndarray, seats: np.ndarray) -> None:
        """`follow` with the state right after a step; nothing is learned of truncated games."""
        truncated = self.games.batch.truncated[rows]
        self.dqns[part].last.close(rows[truncated], seats[truncated])
        rows, seats = rows[~truncated], seats[~truncated]
        if not len(rows):
            return
        units, masks = self.games.seen_by(rows, seats)
        if self.dqns[part].critic_part == "orchestrator":
            legal = choices.kinds_to_choose(masks)
        else:
            legal = choices.legal_ways(masks, part)
        states = self.encoder.encode(units).astype(np.int8)
        self.follow(part, rows, seats, states, legal, self.games.batch.done[rows])

    def model(self, card: dict[str, Any] | None = None) -> RoccoModel:
        """The networks as they are now."""
        networks = {}
        for part, dqn in self.dqns.items():
            weights = getattr(dqn, self.args.play_by)
            arrays = {name: w.numpy(force=True).copy() for name, w in weights.items()}
            networks[part] = (dqn.architecture, arrays)
        return RoccoModel(networks, self.rules, card or {}, self.encoder)

    def agent(self) -> RoccoAgent:
        """The player as it is now, without exploration."""
        return RoccoAgent(self.model())

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz` and its card."""
        model = self.model(card)
        model.save(folder / "model.npz")
        write_bytes(folder / "model.md", model.card_text("rocco").encode())

    def parameters(self) -> Any:
        """What training must leave finite."""
        return {part: dqn.online for part, dqn in self.dqns.items()}

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        return {
            "parts": {part: dqn.get_state() for part, dqn in self.dqns.items()},
            "games": pack_arrays(self.games.get_state()),
            "finished": list(self.games.finished),
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        for part, dqn in self.dqns.items():
            dqn.set_state(state["parts"][part])
        self.games.set_state(unpack_arrays(state["games"]))
        self.games.finished = list(state["finished"])
        self.rng.bit_generator.state = json.loads(state["rng"])


def parse_args(arguments: Sequence[str] | None = None) -> Args:
    """Options from the command line."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return parse(Args, [*FAST.split(), *words] if "--fast" in words else words, __doc__ or "")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse_args(arguments)
    set_up(args)
    name = f"{args.orchestrator}/{args.executors}".upper() + "*" * args.sub_goal
    title = f"hierarchical DQN, {name}"
    # The card names all that --fast stands for: some options may be back at their defaults.
    card = training_card(replace(args, fast=False), title, "examples/published/rocco.py")
    learner = Learner(args)
    evaluations = line_ups("rocco_random", learner.rules)
    counted = {"option": "episodes", "unit": "games"}
    return Run(args, learner, title=title, card=card, evaluations=evaluations, **counted).train()


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
