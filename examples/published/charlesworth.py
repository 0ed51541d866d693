"""PPO for four-player Catan with trade: a head for each part of an action, and a league.

    python examples/published/charlesworth.py --help
    python examples/published/charlesworth.py --out runs/charlesworth
    python examples/published/charlesworth.py --out runs/charlesworth --resume

A joint action is a kind and the choices that it needs; offers are composed card by card. One seat
of each game learns, past selves play the others. After each batch of decisions the network is
updated by PPO, with a value function for normalised returns.

The output folder holds the last two checkpoints, the snapshots of the league, `model.npz` (an
agent of the name `charlesworth:model=runs/charlesworth/model.npz`) with its card `model.md`,
`updates.csv`, `curve.csv` and `curve.png`, and `result.json`. `--resume` continues from the last
checkpoint and computes the same numbers as a training that never stopped.

Source: H. Charlesworth, "Learning to Play Settlers of Catan with Deep Reinforcement Learning",
2022. Letters: B games, P seats, K decisions, S slots of a joint action, M masks of all slots.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import torch
from charlesworth_learning import (
    END,
    UNKNOWN,
    Batch,
    Recording,
    draw_probabilities,
    evaluate,
    read_weights,
    values_of,
    write_weights,
)

from catan_pz import encoders
from catan_pz.agents.random_stream import one_way_seed
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import check_count
from catan_pz.files import write_bytes
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.agent import ENCODERS, CharlesworthAgent, CharlesworthModel
from catan_pz.published.charlesworth.choices import COLUMN, NUM_SLOTS
from catan_pz.published.charlesworth.games import PlannedGames, Policy
from catan_pz.published.charlesworth.networks import CharlesworthNetwork
from catan_pz.rewards import LinearReward, WinAndSharedTerms, WinAndTerms
from catan_pz.rules import Rules
from catan_pz.training import evaluation
from catan_pz.training.checkpoints import pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.league import PastSelves
from catan_pz.training.options import (
    Coefficient,
    Count,
    CountedArgs,
    Positive,
    Share,
    parse,
    set_up,
    training_card,
    whole_numbers,
)
from catan_pz.training.run import Run

PLACED: Final = (
    ("settlement", ch.SETTLEMENT, "corner"),
    ("city", ch.CITY, "corner"),
    ("road", ch.ROAD, "edge"),
    ("robber", ch.ROBBER, "tile"),
)
"""Kinds that go to a place, and the slots that choose it."""


@dataclass(frozen=True, kw_only=True)
class Args(CountedArgs):
    """Options; the defaults are the source's, except the number of updates and the device."""

    updates: Count = 3500
    """updates to train for"""
    workers: Count = 128
    """groups of games; games of a group have the same three opponents"""
    group_size: Count = 5
    """games of a group"""
    decisions: Count = 128_000
    """decisions of the learner in an update, at least"""
    encoder: Literal["charlesworth", "charlesworth_flags", "charlesworth_2022"] = "charlesworth"
    """observation: as published charlesworth_2022; with roads, harbors, phase; with counts"""
    size: Literal["full", "small"] = "full"
    """layers of the network: those of the source, or smaller ones"""
    reward: Literal["text", "shared", "win"] = "text"
    """500 for a win plus dense terms; the terms to all players as in the code's search; win only"""
    trading: bool = True
    """trade between players"""
    forced: bool = True
    """decisions with a single legal action are decisions of the learner, too"""
    max_turns: Count = 1000
    """turns after which a game is broken off"""

    epochs: Count = 10
    """passes over the decisions of an update"""
    minibatches: Count = 64
    """parts of a pass"""
    gamma: Share = 0.999
    """discount from a decision of a seat to its next"""
    gae_lambda: Share = 0.95
    """weight of later estimates in advantages"""
    clip: Positive = 0.2
    """bound of probability ratios, and of steps of normalised values"""
    learning_rate: Coefficient = 3e-4
    """learning rate of Adam at the start"""
    decay_decisions: Positive = 1e9
    """decisions after which the learning rate is 0"""
    entropy: Coefficient = 0.01
    """coefficient of the entropy"""
    value: Coefficient = 1.0
    """coefficient of the value loss"""
    max_grad_norm: Positive = 0.5
    """norm that gradients are clipped to"""
    value_mean: float = 150.0
    """value that is normalised to 0"""
    value_scale: Positive = 150.0
    """difference of values that is normalised to 1"""

    league_every: Count = 4
    """updates between snapshots"""
    league_size: Count = 500
    """snapshots kept; the oldest is dropped first"""

    eval_games: Count = 1200
    """games of an evaluation against each opponent"""
    eval_against: str = "random,heuristic"
    """names of the opponents in evaluations, beside past selves"""
    eval_past: str = "125,250"
    """updates by which past selves in evaluations are older; the next older snapshot plays"""
    checkpoint_every: Count = 5
    """updates between checkpoints"""
    out: str = "runs/charlesworth"
    """output folder"""

    def make_rules(self) -> Rules:
        """The rules of the games."""
        options = {"trading": self.trading, "skip_forced": not self.forced}
        return Rules.make("charlesworth", max_turns=self.max_turns, **options)

    def make_reward(self) -> LinearReward:
        """The reward of a decision, summed until the seat's next one."""
        if self.reward == "win":
            return LinearReward(won=500.0)
        return WinAndTerms() if self.reward == "text" else WinAndSharedTerms()


def certainties(batch: Batch) -> dict[str, float | None]:
    """Mean probabilities of the kinds and places chosen; None of what wasn't chosen."""
    kinds, found = batch["choices"][:, COLUMN["kind"]], batch["certainty"]
    means: dict[str, float | None] = {"certainty_kind": float(found[:, COLUMN["kind"]].mean())}
    for name, kind, slot in PLACED:
        rows = kinds == kind
        means[f"certainty_{name}"] = found[rows, COLUMN[slot]].mean().item() if rows.any() else None
    return means


def advantages(batch: Batch, values: np.ndarray, gamma: float, gae_lambda: float) -> np.ndarray:
    """(K,) generalized advantage estimates; zero for decisions that aren't complete."""
    reward, following, values = batch["reward"].tolist(), batch["next"].tolist(), values.tolist()
    found = [0.0] * len(values)
    for k in reversed(range(len(values))):
        then = following[k]
        if then == UNKNOWN:
            continue
        found[k] = reward[k] - values[k]
        if then != END:
            found[k] += gamma * (values[then] + gae_lambda * found[then])
    return np.array(found)


class Learner:
    """Plays against past selves, and learns by PPO."""

    def __init__(self, args: Args) -> None:
        check_count("minibatches", args.minibatches, most=args.decisions)
        self.args, self.rules = args, args.make_rules()
        self.eval_past = whole_numbers("eval_past", args.eval_past) if args.eval_past else ()
        self.rng = np.random.default_rng([args.seed, 0xC4A2])
        self.encoder = encoders.load(args.encoder)
        self.architecture = CharlesworthNetwork(args.size, ENCODERS[args.encoder])
        self.weights = {
            name: torch.tensor(array, device=args.device, requires_grad=True)
            for name, array in self.architecture.initial(self.rng).items()
        }
        self.optimizer = torch.optim.Adam(self.weights.values(), lr=args.learning_rate, eps=1e-5)
        self.league = PastSelves(Path(args.out) / "league", args.league_size)
        self.draws = np.random.default_rng([args.seed, 0x5E1F])
        self.loaded: dict[str, Any] = {}
        size, seed = args.workers * args.group_size, one_way_seed(args.seed, 0, "catan-pz games")
        self.games = PlannedGames(CpuBatch(size, self.rules, reward=args.make_reward(), seed=seed))
        self.line_ups = evaluation.line_ups(args.eval_against, self.rules)
        # The learner's seat is drawn once for each game, as in the source.
        self.seats = self.rng.integers(self.rules.num_players, size=size)
        self.decided = np.zeros(size, np.int64)  # decisions in each game so far, of all players
        self.decisions = 0

    def policy(self, weights: Any = None) -> Policy:
        """The learner as it is now, or a past self."""
        given, device = weights or self.weights, self.args.device
        detached = {name: tensor.detach().to(device) for name, tensor in given.items()}
        return Policy(self.architecture, detached, self.encoder)

    def draw_opponents(self) -> tuple[list[Policy], np.ndarray]:
        """The policies of an update, and (B, P) which of them sits where; 0 is the learner."""
        args, count = self.args, self.rules.num_players
        pool, number = self.league.pool, args.workers * (count - 1)
        chosen = self.draws.choice(len(pool), number, p=draw_probabilities(len(pool)))
        drawn = [pool[k] for k in chosen]
        names = list(dict.fromkeys(drawn))
        paths = {name: self.league.path(name) for name in names}
        self.loaded = {k: self.loaded.get(k) or read_weights(path) for k, path in paths.items()}
        policies = [self.policy(), *(self.policy(self.loaded[name]) for name in names)]
        places = np.array([1 + names.index(name) for name in drawn]).reshape(args.workers, -1)
        seated = np.zeros((len(self.seats), count), np.int64)
        for game, seat in enumerate(self.seats):
            seated[game, np.arange(count) != seat] = places[game // args.group_size]
        return policies, seated

    def collect(self) -> tuple[Batch, float | None]:
        """Play until there are enough decisions of the learner, and return them.

        Beside them: mean number of all players' decisions in games that ended, None without any.
        """
        policies, seated = self.draw_opponents()
        batch, every = self.games.batch, np.arange(len(self.seats))
        recording, of_ended = Recording(len(self.seats)), []
        while recording.complete < self.args.decisions:
            asked = self.games.asked()
            who = seated[asked, batch.player[asked]]
            choices = np.empty((len(asked), NUM_SLOTS), np.int8)
            for k in np.unique(who):
                rows = asked[who == k]
                units, uniforms = batch.units[rows], self.rng.random((len(rows), NUM_SLOTS))
                made = policies[k].decide(units, batch.mask[rows], uniforms)
                choices[who == k] = made.choices
                if k == 0:
                    kept = ("choices", "masks", "log_probability", "certainty")
                    part = {name: getattr(made, name) for name in kept}
                    recording.add(rows, part | {"units": units})
            self.games.step(asked, choices)
            recording.step(batch.reward[every, self.seats], batch.done, batch.truncated)
            self.decided[asked] += 1
            of_ended += self.decided[batch.done].tolist()
            self.decided[batch.done] = 0
        return recording.batch(), float(np.mean(of_ended)) if of_ended else None

    def learn(self, batch: Batch) -> dict[str, float]:
        """Update the network by the decisions of a batch; means of the last epoch."""
        args, device = self.args, self.args.device
        encoded = self.encoder.encode(batch["units"])
        seen = {name: torch.tensor(array, device=device) for name, array in encoded.items()}
        choices = torch.tensor(batch["choices"].astype(np.int64), device=device)
        masks = torch.tensor(batch["masks"], device=device)
        old_log = torch.tensor(batch["log_probability"], dtype=torch.float32, device=device)
        complete = np.flatnonzero(batch["next"] != UNKNOWN)
        for _ in range(args.epochs):
            # Recompute returns and advantages with the present value function.
            old_value = values_of(self.architecture, self.weights, seen)
            values = old_value.numpy(force=True) * args.value_scale + args.value_mean
            gae = advantages(batch, values, args.gamma, args.gae_lambda)
            target = (gae + values - args.value_mean) / args.value_scale
            gae = (gae - gae[complete].mean()) / (gae[complete].std() + 1e-8)
            targets, gaes = (
                torch.tensor(array, dtype=torch.float32, device=device) for array in (target, gae)
            )
            figures = []
            for part in np.array_split(self.rng.permutation(complete), args.minibatches):
                rows = torch.as_tensor(part, device=device)
                own = {name: array[rows] for name, array in seen.items()}
                log, value, entropy = evaluate(
                    self.architecture, self.weights, own, choices[rows], masks[rows]
                )
                ratio = (log - old_log[rows]).exp()
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                policy_loss = -torch.min(ratio * gaes[rows], clipped * gaes[rows]).mean()
                near = old_value[rows] + (value - old_value[rows]).clamp(-args.clip, args.clip)
                errors = (value - targets[rows]) ** 2, (near - targets[rows]) ** 2
                value_loss = 0.5 * torch.max(*errors).mean()
                loss = policy_loss + args.value * value_loss - args.entropy * entropy
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.weights.values(), args.max_grad_norm)
                self.optimizer.step()
                moved = ((ratio - 1).abs() > args.clip).float().mean()
                figures.append(torch.stack([policy_loss, value_loss, entropy, moved]).detach())
        names = ("policy_loss", "value_loss", "entropy", "clipped")
        return dict(zip(names, torch.stack(figures).mean(0).tolist(), strict=True))

    def play(self, number: int) -> dict[str, Any]:
        """Play, learn, and take a snapshot for the league when it is time."""
        args, start = self.args, time.perf_counter()
        if not self.league.pool:
            self.take_snapshot(0)
        batch, decisions_per_game = self.collect()
        collected = time.perf_counter()
        rate = args.learning_rate * max(0.0, 1 - self.decisions / args.decay_decisions)
        self.optimizer.param_groups[0]["lr"] = rate
        losses = self.learn(batch)
        complete = batch["next"] != UNKNOWN
        self.decisions += int(complete.sum())
        if (number + 1) % args.league_every == 0:
            self.take_snapshot(number + 1)
        return {
            "decisions": self.decisions,
            "seconds_playing": collected - start,
            "seconds_learning": time.perf_counter() - collected,
            "reward": float(batch["reward"][complete].mean()),
            "ended": int((batch["next"] == END).sum()),
            "decisions_per_game": decisions_per_game,
            **certainties(batch),
            **losses,
        }

    def take_snapshot(self, number: int) -> None:
        """Add the weights to the league."""
        self.league.add(f"{number:08d}", lambda path: write_weights(path, self.weights))

    def win_rates(self, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Against three copies of each opponent, and of past selves as far as there are any."""
        args, line_ups = self.args, dict[str, Any](self.line_ups)
        for steps in self.eval_past:
            # The newest snapshot that is at least `steps` updates old.
            older = [name for name in self.league.pool if int(name) <= number - steps]
            if older:
                ages = range(steps, steps + args.league_every)
                age = f"{ages[0]} to {ages[-1]}" if len(ages) > 1 else str(steps)
                past = self.model(read_weights(self.league.path(older[-1])))
                agent = CharlesworthAgent(past, name="past")
                line_ups[f"itself, {age} updates older"] = [agent] * 3
        learner = CharlesworthAgent(self.model(self.weights))
        seed = args.seed + evaluation.SEED_OFFSET
        for name, others in line_ups.items():
            yield name, evaluation.evaluate(learner, others, self.rules, args.eval_games, seed)

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.weights

    def model(self, weights: Any, card: dict[str, Any] | None = None) -> CharlesworthModel:
        """The network with its present or past weights, for agents."""
        arrays = {name: tensor.numpy(force=True) for name, tensor in weights.items()}
        values = self.args.value_mean, self.args.value_scale
        given = self.architecture, arrays, self.rules, card or {}, self.encoder
        return CharlesworthModel(*given, *values)

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz` and its card."""
        model = self.model(self.weights, card | {"decisions": self.decisions})
        model.save(folder / "model.npz")
        write_bytes(folder / "model.md", model.card_text("charlesworth").encode())

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        return {
            "weights": {name: tensor.detach() for name, tensor in self.weights.items()},
            "optimizer": self.optimizer.state_dict(),
            "games": pack_arrays(self.games.get_state() | {"decided": self.decided}),
            "snapshots": self.league.pool,
            "draws": json.dumps(self.draws.bit_generator.state),
            "rng": json.dumps(self.rng.bit_generator.state),
            "decisions": self.decisions,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave; seats follow from the seed."""
        for name, tensor in self.weights.items():
            tensor.data.copy_(state["weights"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        games = unpack_arrays(state["games"])
        self.decided = games.pop("decided")
        self.games.set_state(games)
        self.league.pool = list(state["snapshots"])
        self.draws.bit_generator.state = json.loads(state["draws"])
        self.rng.bit_generator.state = json.loads(state["rng"])
        self.decisions = state["decisions"]


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    set_up(args)
    learner = Learner(args)
    algorithm = "PPO, heads for joint actions, league of past selves"
    card = training_card(args, algorithm, "examples/published/charlesworth.py")
    told = {"title": f"PPO with heads and a league, {args.size} network", "card": card}
    told |= {"option": "updates", "unit": "updates"}
    return Run(args, learner, evaluations=learner.win_rates, **told).train()


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
