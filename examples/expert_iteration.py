"""Expert iteration: a search improves on a policy, the policy learns that, round after round.

    python examples/expert_iteration.py --help
    python examples/expert_iteration.py --players 4 --base evolved --out runs/expert
    python examples/expert_iteration.py --players 4 --base evolved --out runs/expert --resume
    python examples/expert_iteration.py --players 4 --base evolved --expert value --out runs/dagger

In each round the best policy so far plays itself. At a share of the decisions a search begins with
that policy and improves on it, by simulations that heuristic players play on; what it prefers is
played. A candidate learns the improved policies of the last rounds, and who won, on the board
turned and reflected. Then it plays against the best policy until a sequential test has told them
apart; only one that is better takes its place. At the end of a round it plays against others.

`--expert` names an agent whose choices are learned in place of a search's, at decisions that the
policy reaches by its own play (DAgger).

The output folder gets the last two checkpoints, `model.npz`, `episodes.csv` with a row for each
round, `curve.csv`, `curve.png` and `result.json`. `--resume` goes on after the last round that was
finished, and computes the same numbers as a training that never stopped.

Sources: Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search",
2017; Danihelka et al., "Policy Improvement by Planning with Gumbel", 2022; Ross, Gordon and
Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
Learning", 2011 (DAgger).
"""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# NumPy plays the exported policy: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from parts.sequential_test import SequentialTest
from torch import nn

from catan_pz import Game, agents
from catan_pz.agents.base import Agent, Views
from catan_pz.agents.network import Base, Model, NetworkAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.table import Table
from catan_pz.arena import play_match
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.observation.symmetries import ACTION_ORDERS, OBSERVATION_ORDERS
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
)
from catan_pz.training.run import Run
from catan_pz.training.self_play_network import BASES_CHOICE, SelfPlayNetwork, model_named


@dataclass(frozen=True, kw_only=True)
class Args(CountedArgs):
    """Options."""

    rounds: Count = 10
    """rounds to do"""
    players: int = 4
    """players of a game"""
    trading: bool = False
    """trade between players"""
    points: Count = 10
    """victory points that win"""
    games: Count = 400
    """games of a round"""
    workers: Count = 1
    """processes that play them, and the matches"""

    share: Share = 0.25
    """share of the decisions that are searched"""
    simulations: Count = 400
    """simulations of a search"""
    considered: Count = 16
    """actions that a search considers"""
    noise: Coefficient = 1.0
    """scale of the Gumbel noise that a search adds to the policy"""
    expert: str = ""
    """agent that takes the place of the search, such as value; "" for none"""

    init: str = ""
    """model file, or name of a model, with the same base and sizes, to start the policy from"""
    base: str = ""
    """agent that the policy rests on: heuristic or evolved; "" for none"""
    base_bonus: float = 5.0
    """added to the logit of the base's action"""
    width: Count = 128
    """units in each dense layer"""
    embedding_size: Count = 32
    """size of the embedding of a vertex, edge or hex"""

    window: Count = 4
    """rounds that a candidate learns from"""
    epochs: Count = 4
    """passes over their decisions"""
    batch_size: Count = 256
    """decisions in a minibatch"""
    learning_rate: Coefficient = 1e-3
    """learning rate of Adam at the start of a round; it falls linearly to 0"""
    value_coef: Coefficient = 0.5
    """coefficient of the squared error of the predicted winner"""

    edge: Coefficient = 0.03
    """margin of a candidate's win rate above chance level that the test has to detect"""
    match_block: Count = 400
    """games between two evaluations of the sequential test"""
    match_games: Count = 4000
    """games of a match after which the candidate counts as no better"""

    eval_every: Count = 1
    """rounds between evaluations"""
    eval_against: str = "heuristic,evolved"
    """names of the opponents in evaluations"""
    checkpoint_every: Count = 1
    """rounds between checkpoints"""
    out: str = "runs/expert"
    """output folder"""


@dataclass(frozen=True)
class SearchedDecisions:
    """Decisions that were searched, or that an expert took."""

    units: np.ndarray
    """(K, N) int8 observations of the seats that decided"""
    mask: np.ndarray
    """(K, A) int8"""
    policy: np.ndarray
    """(K, A) float16, improved by the search; 1 for the choice of any other expert"""
    won: np.ndarray
    """(K, P) float32, 1 for the winner, counted from the seat that decided on; else 0"""

    def __len__(self) -> int:
        """K."""
        return len(self.units)

    @classmethod
    def joined(cls, parts: Sequence["SearchedDecisions"]) -> "SearchedDecisions":
        """All of some, in order."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})


class SearchedPlayer(Agent):
    """Plays by a model; at a share of its decisions by a search that begins with that policy.

    The search has options of `SearchAgent`; an agent named as the expert takes its place. Seat,
    observation, mask and improved policy of each such decision are added to `recorded`.
    """

    name = "searched"
    needs_belief = True

    def __init__(
        self, model: Model, search: dict[str, Any], share: float, expert: str, recorded: list[Any]
    ) -> None:
        self._policy = NetworkAgent(model)
        self._expert: Agent = (
            agents.load(expert)
            if expert
            else SearchAgent(method="gumbel", prior=self._policy, **search)
        )
        self.needs_events = self._expert.needs_events
        self._share, self._recorded = share, recorded

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self._policy, self._expert = copy(self._policy), copy(self._expert)
        self._policy.reset(seat, rules, self.random.next())
        self._expert.reset(seat, rules, self.random.next())

    def observe(self, events: Events) -> None:
        """Pass the events on to the expert."""
        self._expert.observe(events)

    def act(self, view: View) -> int:
        """A legal action."""
        if self.random.next() >= self._share * 2**64:
            return self._policy.act(view)
        action = self._expert.act(view)
        found = getattr(self._expert, "last", {})  # None where there was nothing to search
        if found is not None and view.mask.sum() > 1:
            policy = found.get("policy", np.arange(len(view.mask)) == action)
            seen = view.observation.copy(), view.mask.copy()
            self._recorded.append((self.seat, *seen, np.asarray(policy, np.float16)))
        return action


def play_searched(
    model: Model,
    rules: Rules,
    seeds: Sequence[int],
    search: dict[str, Any],
    share: float,
    workers: int = 1,
    expert: str = "",
) -> SearchedDecisions:
    """Play games between copies of a `SearchedPlayer`, the same for any number of processes."""
    play = partial(play_game, model, rules, search, share, expert)
    if workers == 1:
        played = [play(seed) for seed in seeds]
    else:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            played = list(pool.map(play, seeds, chunksize=-(-len(seeds) // (8 * workers))))
    parts = [part for part in played if part is not None]
    if not parts:
        raise ValueError("no decision was searched: play more games, or search a larger share")
    return SearchedDecisions.joined(parts)


def play_game(
    model: Model, rules: Rules, search: dict[str, Any], share: float, expert: str, seed: int
) -> SearchedDecisions | None:
    """The searched decisions of a game, if there are any."""
    recorded: list[Any] = []
    count, game = rules.num_players, Game(rules, seed)
    player = SearchedPlayer(model, search, share, expert, recorded)
    Table(game, [player] * count, seat_seeds(seed, count)).play()
    if not recorded:
        return None
    seats, units, mask, policy = (np.stack(column) for column in zip(*recorded, strict=True))
    won = np.zeros((len(seats), count), np.float32)
    if game.winner is not None:
        won[np.arange(len(seats)), (game.winner - seats) % count] = 1
    return SearchedDecisions(units, mask, policy, won)


class Learner:
    """The best policy so far, and the decisions that the next candidate learns from."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.rules = Rules(
            num_players=args.players,
            trading=args.trading,
            victory_points=args.points,
            skip_forced=True,
        )
        torch.manual_seed(args.seed)
        self.network = SelfPlayNetwork(
            self.rules.num_actions,
            args.players,
            width=args.width,
            embedding_size=args.embedding_size,
            critic="shared",
            base=Base(args.base, args.base_bonus) if args.base else None,
        ).to(args.device)
        if args.init:
            self.network.take_policy(model_named(args.init))
        self.window: list[SearchedDecisions] = []
        actions = ACTION_ORDERS[:, : self.rules.num_actions]
        self.orders = [torch.tensor(order) for order in (OBSERVATION_ORDERS, actions)]

    def play(self, episode: int) -> dict[str, Any]:
        """A round: search, learn, play the match."""
        args = self.args
        seeds = np.random.SeedSequence([args.seed, episode]).generate_state(args.games, np.uint64)
        search = {"simulations": args.simulations, "considered": args.considered}
        search["exploration"] = args.noise
        best = self.model()
        played = play_searched(
            best, self.rules, seeds.tolist(), search, args.share, args.workers, args.expert
        )
        self.window = [*self.window, self.marked(played)][-args.window :]
        candidate = deepcopy(self.network)
        figures = self.learn(candidate, SearchedDecisions.joined(self.window), episode)
        won, games, better = self.match(candidate.export(self.rules), best, episode)
        if better:
            self.network = candidate
        match = {"match_won": won, "match_games": games, "promoted": int(bool(better))}
        return {"searched": len(played), **figures, **match}

    def marked(self, played: SearchedDecisions) -> SearchedDecisions:
        """Decisions with the base's choices in their masks."""
        if self.network.base is None:
            return played
        mask, zeros = played.mask.copy(), np.zeros(len(played), np.uint64)
        views = Views(played.units, played.mask, zeros, zeros)
        chosen = self.network.base.load().act_batch(views)
        mask[np.arange(len(played)), chosen] = BASES_CHOICE
        return replace(played, mask=mask)

    def learn(self, network: SelfPlayNetwork, data: SearchedDecisions, number: int) -> dict:
        """Fit policy and values; the mean losses of the last pass."""
        args, device = self.args, self.args.device
        units, mask, policy, won = (torch.as_tensor(array) for array in vars(data).values())
        hidden = torch.zeros((args.batch_size, 0), device=device)
        optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
        steps = args.epochs * -(-len(data) // args.batch_size)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, steps)
        random = torch.Generator().manual_seed(args.seed * 1_000_003 + number)
        for _ in range(args.epochs):
            totals = np.zeros(2)
            for rows in torch.randperm(len(data), generator=random).split(args.batch_size):
                frames = torch.randint(len(self.orders[0]), (len(rows),), generator=random)
                numbers, actions = (order[frames] for order in self.orders)
                log_policy, values = network(
                    units[rows].gather(1, numbers).to(device),
                    mask[rows].gather(1, actions).to(device),
                    hidden,
                )
                wanted = policy[rows].gather(1, actions).to(device).float()
                policy_loss = -(wanted * log_policy).sum(1).mean()
                value_loss = (values - won[rows].to(device)).square().mean()
                optimizer.zero_grad()
                (policy_loss + args.value_coef * value_loss).backward()
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                totals += np.array([policy_loss.item(), value_loss.item()]) * len(rows)
        policy_loss, value_loss = (totals / len(data)).tolist()
        return {"policy_loss": policy_loss, "value_loss": value_loss}

    def match(self, candidate: Model, best: Model, number: int) -> tuple[int, int, bool | None]:
        """Games that a candidate won against copies of the best, all, and whether it is better."""
        args, count = self.args, self.args.players
        test = SequentialTest(1 / count, 1 / count + args.edge)
        players = [("candidate", NetworkAgent(candidate, choice="best"))]
        players += [("best", NetworkAgent(best, choice="best"))] * (count - 1)
        won = games = block = 0
        verdict = None
        while verdict is None and games < args.match_games:
            seed = int(np.random.SeedSequence([args.seed, number, block]).generate_state(1)[0])
            workers = args.workers
            result = play_match(
                players, args.match_block, self.rules, seed, workers=workers, progress=False
            )
            tally = result.tally("candidate")
            won, games, block = won + tally.won, games + tally.seats, block + 1
            verdict = test.verdict(won, games)
        return won, games, verdict

    def model(self, card: dict[str, Any] | None = None) -> Model:
        """The best policy."""
        return self.network.export(self.rules, card)

    def agent(self) -> NetworkAgent:
        """The best policy as a player."""
        return NetworkAgent(self.model(), choice="best")

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz`."""
        replace(self.model(card), choice="best").save(folder / "model.npz")

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.network.state_dict()

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        window = [pack_arrays(vars(part)) for part in self.window]
        return {"network": self.network.state_dict(), "window": window}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.network.load_state_dict(state["network"])
        self.window = [SearchedDecisions(**unpack_arrays(part)) for part in state["window"]]


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    set_up(args)
    card = training_card(args, "expert iteration", "examples/expert_iteration.py")
    learner = Learner(args)
    run = Run(
        args,
        learner,
        title=f"Expert iteration, {args.players} players",
        card=card,
        evaluations=line_ups(args.eval_against, learner.rules),
        option="rounds",
        unit="rounds",
    )
    return run.train()


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
