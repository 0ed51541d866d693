"""MaskablePPO on the board network, with compiled gradient steps for a CPU.

For a few decisions at a time the network runs forward, the loss gives the gradients of its
results, and the network runs backward, so that everything stays in a core's cache.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance

from catan_pz.agents.board_kernels import BLOCK, prepare, run_steps, write_results
from catan_pz.agents.board_program import Program, program
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Array, Float32Matrix, Int8Matrix, Int64Array
from catan_pz.observation.encode import scale
from catan_pz.observation.segments import SIZE
from catan_pz.training.board_gradients import GAMES, read_gradients, run_steps_back, turn
from catan_pz.training.board_layers import make_pool

LOSSES: Final = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")


class Experience(NamedTuple):
    """A rollout of n decisions: observations (n, N) in natural units, action masks (n, A).

    The factors are the clip range and the weights of squared errors and entropies.
    """

    observations: Int8Matrix
    legal: Float32Matrix
    actions: Int64Array
    log_probs: Float32Array
    returns: Float32Array
    factors: Float32Array


@kernel
def write_probs(legal: Float32Array, logits: Float32Array, probs: Float32Array) -> float:
    """Write the legal actions' probabilities (A,); return the logit of probability 1."""
    most, total = np.float32(-np.inf), np.float32(0)
    for a in range(len(logits)):
        if legal[a] != np.float32(0):
            most = max(most, logits[a])
    for a in range(len(logits)):
        probs[a] = np.float32(0)
        if legal[a] != np.float32(0):
            probs[a] = np.exp(logits[a] - most)
            total += probs[a]
    for a in range(len(logits)):
        probs[a] /= total
    return most + np.log(total)


@kernel
def differentiate(  # wide: what is read, and what is written
    of: Experience,
    row: int,
    share: float,
    advantage: float,
    value: float,
    results: Float32Matrix,
    losses: Float32Array,
) -> float:
    """Write the gradients of the logits over the probabilities; return that of the value.

    `results` is logits and probabilities (2, A). Losses are added with the decision's weight.
    """
    logits, probs, action = results[0], results[1], of.actions[row]
    certain = write_probs(of.legal[row], logits, probs)
    log_ratio = logits[action] - certain - of.log_probs[row]
    ratio, clip_range = np.exp(log_ratio), of.factors[0]
    entropy = certain
    for a in range(len(probs)):
        if probs[a] > np.float32(0):
            entropy -= probs[a] * logits[a]
    gain = advantage * ratio
    clipped = advantage * min(max(ratio, 1 - clip_range), 1 + clip_range)
    error = value - of.returns[row]
    losses[0] -= share * min(gain, clipped)
    losses[1] += share * error * error
    losses[2] -= share * entropy
    losses[3] += share * (ratio - 1 - log_ratio)
    losses[4] += share * (abs(ratio - 1) > clip_range)
    d_log_prob, d_entropy = -share * gain * (gain <= clipped), -share * of.factors[2]
    for a in range(len(probs)):
        if probs[a] > np.float32(0):
            probs[a] *= -(d_log_prob + d_entropy * (logits[a] - certain + entropy))
    probs[action] += d_log_prob
    return 2 * share * of.factors[1] * error


@entry
def run_update(  # wide: what is read, and what is written
    games: Int64Array,
    first: int,
    last: int,
    threads: int,
    do: Program,
    of: Experience,
    advantages: Float32Array,
    weights: Float32Array,
    turned: Float32Array,
    value: Float32Array,
    works: Float32Matrix,
    d_weights: Float32Matrix,
    losses: Float32Matrix,
) -> None:
    """Write gradients and losses of a minibatch, one row per `GAMES` decisions.

    `games` are the rows of its decisions, with their advantages. The value head, whose last weight
    is its bias, has its gradients after those of the network.
    """
    size, dense, actions = do.size, len(value) - 1, of.legal.shape[1]
    share = 1 / len(games)
    for thread in range(first, last):
        work, d_work = works[thread, : BLOCK * size], works[thread, BLOCK * size : 2 * BLOCK * size]
        rest = works[thread, 2 * BLOCK * size :]
        x, latent, d_latent = rest[:SIZE], rest[SIZE : SIZE + dense], rest[SIZE + dense :][:dense]
        results = rest[SIZE + 2 * dense :].reshape(2, actions)
        for part in range(thread, len(losses), threads):
            d_weights[part], losses[part] = np.float32(0), np.float32(0)
            d_value = d_weights[part, len(weights) :]
            end = min((part + 1) * GAMES, len(games))
            for start in range(part * GAMES, end, BLOCK):
                count = min(BLOCK, end - start)
                for g in range(count):
                    scale(of.observations[games[start + g]], x)
                    prepare(do, x, work[g * size : (g + 1) * size])
                run_steps(do, weights, work, count)
                for g in range(count):
                    own = work[g * size : (g + 1) * size]
                    write_results(do, own, results[0], latent)
                    judged = value[dense]
                    for k in range(dense):
                        judged += latent[k] * value[k]
                    d_judged = differentiate(
                        of,
                        games[start + g],
                        share,
                        advantages[start + g],
                        judged,
                        results,
                        losses[part],
                    )
                    for k in range(dense):
                        d_value[k] += d_judged * latent[k]
                        d_latent[k] = d_judged * value[k]
                    d_value[dense] += d_judged
                    d_own = d_work[g * size : (g + 1) * size]
                    read_gradients(do, d_own, results[1], d_latent)
                of_network = d_weights[part, : len(weights)]
                run_steps_back(do, turned, work, d_work, of_network, count)


class BoardPPO(MaskablePPO):
    """MaskablePPO with a `BoardPolicy` on observations in natural units.

    On a CPU its updates equal those of sb3-contrib up to rounding. On other devices, and with
    `target_kl` or `clip_range_vf`, sb3-contrib's own code runs.
    """

    def train(self) -> None:
        """Update the policy by the rollout."""
        limited = self.target_kl is not None or self.clip_range_vf is not None
        if limited or self.device.type != "cpu":
            super().train()
            return
        policy: Any = self.policy
        buffer: Any = self.rollout_buffer
        self._update_learning_rate(policy.optimizer)
        clip_range = self.clip_range(self._current_progress_remaining)
        names = "observations", "action_masks", "actions", "log_probs", "returns", "advantages"
        arrays = [buffer.swap_and_flatten(getattr(buffer, name)) for name in names]
        actions, log_probs, returns, advantages = (array[:, 0] for array in arrays[2:])
        factors = np.array([clip_range, self.vf_coef, self.ent_coef], np.float32)
        experience = Experience(arrays[0], arrays[1], actions, log_probs, returns, factors)
        update, losses = _Update(policy, experience), []
        for _ in range(self.n_epochs):
            order = np.random.permutation(len(advantages))  # noqa: NPY002  # as sb3-contrib
            for start in range(0, len(order), self.batch_size):
                chosen = order[start : start + self.batch_size]
                given = advantages[chosen]
                if self.normalize_advantage:
                    given = (given - given.mean()) / (given.std(ddof=1) + 1e-8)
                losses.append(update.set_gradients(chosen, given))
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
            self._n_updates += 1
        logged = dict(zip(LOSSES, np.mean(losses, 0), strict=True))
        logged["approx_kl"] = np.mean(losses[-len(losses) // self.n_epochs :], 0)[3]
        logged["loss"] = losses[-1][:3] @ [1, self.vf_coef, self.ent_coef]
        logged["clip_range"] = clip_range
        ends = buffer.values.flatten(), buffer.returns.flatten()
        logged["explained_variance"] = explained_variance(*ends)
        for name, number in logged.items():
            self.logger.record(f"train/{name}", number)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")


class _Update:
    """The minibatches of a rollout, processed in the same memory."""

    def __init__(self, policy: Any, experience: Experience) -> None:
        layers = policy.mlp_extractor
        do = program(*layers.sizes)
        _, dense, actions, _ = layers.sizes
        self.do = do._replace(kept=do.size)  # keep everything for the backward pass
        self.layers, self.head, self.experience = layers, policy.value_net, experience
        self.threads = layers.threads or torch.get_num_threads()
        self.turned = np.zeros(do.turned, np.float32)
        numbers = 2 * BLOCK * do.size + SIZE + 2 * dense + 2 * actions
        self.works = np.empty((self.threads, numbers), np.float32)

    def set_gradients(
        self, chosen: NDArray[np.int64], advantages: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Set the gradients of decisions with their advantages; return the losses."""
        weights = self.layers.weights.detach().numpy()
        value = torch.cat([self.head.weight.detach()[0], self.head.bias.detach()]).numpy()
        turn(self.do, weights, self.turned)
        parts = -(-len(chosen) // GAMES)
        found = np.empty((parts, len(weights) + len(value)), np.float32)
        losses = np.empty((parts, len(LOSSES)), np.float32)
        given = self.threads, self.do, self.experience, advantages, weights, self.turned, value
        make_pool(self.threads).run(run_update, chosen, *given, self.works, found, losses)
        network, head = torch.from_numpy(found.sum(0)).split([len(weights), len(value)])
        self.layers.weights.grad = network
        self.head.weight.grad, self.head.bias.grad = head[None, :-1], head[-1:]
        return losses.sum(0)
