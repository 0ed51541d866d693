"""What a training on Ray takes and gives: python -m tests.benchmarks scale

Measures, for `examples/distributed/train_ray.py` with its usual options, bytes and messages a
decision, what one actor gives and one learner takes, and what the object store carries between two
nodes of a cluster in this machine; works out from these what 10, 100 and 1,000 actors need. Speeds
of actor and learner are in seconds of CPU time, of one core, so that other work on the machine
doesn't count.
Takes the extras `train` and `ray`.
"""

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.measuring import options, print_table
from tests.clusters import ray_cluster
from tests.examples.programs import load

GIGABIT = 1e9 / 8
LINKS = (1, 10, 100)
"""Networks of the model, in Gbit/s."""


@dataclass
class Figures:
    games: int
    steps: int
    arrays: dict[str, float]
    weights: int
    actor: float
    learner: float
    put: float = 0.0
    between: float = 0.0
    calls: float = 0.0

    @property
    def bytes(self) -> float:
        """Of a decision, on its way to the learner."""
        return sum(self.arrays.values())


def measure_alone(program: Any, games: int, steps: int, rounds: int) -> Figures:
    """Bytes, and the speed of actor and learner, without Ray."""
    words = [f"--num-envs={games}", f"--n-steps={steps}", "--workers=2"]
    args = program.parse(program.Args, words, "")
    program.torch.set_num_threads(1)
    worker = program.Worker(args, 0, None)
    network = program.make_network(args)
    optimizer = program.torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    weights = network.state_dict()
    given = worker.play(0, 0, weights, [])
    actor, learner = [], []
    for number in range(1, rounds + 1):
        start = time.process_time()
        given = worker.play(number, 0, weights, [])
        actor.append(games * steps / (time.process_time() - start))
        start = time.process_time()
        told = program.learn(args, network, optimizer, [given], number)
        learner.append(told["learned"] / (time.process_time() - start))
    state = given.pop("state")
    count = games * steps
    arrays = {name: x.nbytes / count for name, x in given.items() if hasattr(x, "nbytes")}
    arrays["state of the games"] = sum(array.nbytes for array in state.values()) / count
    size = sum(array.nbytes for array in weights.values())
    return Figures(games, steps, arrays, size, median(actor), median(learner))


def median(values: list[float]) -> float:
    return float(np.median(values))


def measure_store(ray: Any, found: Figures, repeats: int) -> None:
    """What the object store takes on one node and between two, and calls of an actor."""
    size = int(found.bytes * found.games * found.steps)
    block = np.zeros(size, np.int8)

    class Sender:
        def send(self, _number: int) -> Any:
            return block.copy()

        def answer(self) -> None:
            return None

    sender = ray.remote(num_cpus=1, resources={"other": 1})(Sender).remote()
    put, between = [], []
    for number in range(repeats + 1):
        start = time.perf_counter()
        ray.get(ray.put(block))
        put.append(size / (time.perf_counter() - start))
        call = sender.send.remote(number)
        ray.wait([call], fetch_local=False)  # it is there, and not yet here
        start = time.perf_counter()
        ray.get(call)
        between.append(size / (time.perf_counter() - start))
    found.put, found.between = median(put[1:]), median(between[1:])
    start = time.perf_counter()
    for _ in range(100 * repeats):
        ray.get(sender.answer.remote())
    found.calls = 100 * repeats / (time.perf_counter() - start)
    ray.kill(sender)


def show_measured(found: Figures) -> None:
    arrays = found.arrays | {"together": found.bytes}
    print_table(("of each decision", "bytes"), ((name, f"{x:,.1f}") for name, x in arrays.items()))
    count = found.games * found.steps
    rows = {
        "a round of an actor": f"{count:,} decisions, {found.bytes * count / 1e6:,.1f} MB",
        "messages a decision: a call and its answer for a round": f"{2 / count:.6f}",
        "weights": f"{found.weights / 1e6:,.2f} MB",
        "an actor gives, one core": f"{found.actor:,.0f} decisions/s",
        "a learner takes, one core": f"{found.learner:,.0f} decisions/s",
        "a round put into the object store and taken, one node": f"{found.put / 1e9:,.2f} GB/s",
        "a round fetched from another node of this machine": f"{found.between / 1e9:,.2f} GB/s",
        "calls of an actor on another node, one at a time": f"{found.calls:,.0f} a second",
    }
    print_table(("what", "value"), rows.items())


def show_model(found: Figures) -> None:
    """What 10, 100 and 1,000 actors need, learners' cores last, and where each part saturates."""
    count = found.games * found.steps
    rows = []
    for actors in (10, 100, 1000):
        rate = actors * found.actor
        updates = found.actor / count  # as many as rounds of one actor
        row = [f"{actors:,}", f"{rate:,.0f}", f"{rate * found.bytes / 1e6:,.0f} MB/s"]
        row += [f"{found.weights * updates / 1e6:,.2f} MB/s", f"{actors * updates:,.0f}"]
        rows.append([*row, f"{rate / found.learner:,.1f}"])
    header = ("actors", "decisions/s", "to the learners", "weights, to each node", "calls/s")
    print_table((*header, "cores"), rows)
    limits = {
        "a learner of one core": found.learner,
        **{f"its network, {link} Gbit/s": link * GIGABIT / found.bytes for link in LINKS},
        "its object store (one fetch at a time)": found.between / found.bytes,
        "calls of one driver, one at a time": found.calls * count,
    }
    saturated = ((x, f"{n:,.0f}", f"{n / found.actor:,.1f}") for x, n in limits.items())
    print_table(("what saturates", "at decisions/s", "at actors"), saturated)


def main() -> None:
    chosen = options(
        __doc__,
        games=(128, "of an actor"),
        steps=(64, "decisions of each in a round"),
        rounds=(8, "measured"),
        repeats=(20, "measures of what Ray carries"),
    )
    program = load("distributed/train_ray")
    found = measure_alone(program, chosen.games, chosen.steps, chosen.rounds)
    with ray_cluster(1, 1, store=500) as cluster:
        import ray

        ray.cloudpickle.register_pickle_by_value(program)
        os.environ["RAY_ADDRESS"] = cluster.address
        program.connect()
        measure_store(ray, found, chosen.repeats)
        show_measured(found)
        show_model(found)
        del os.environ["RAY_ADDRESS"]
