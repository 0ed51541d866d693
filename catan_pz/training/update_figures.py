"""What an update of self-play has done, in a few figures, and their log.

Letters: K decisions, P players, A actions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

from catan_pz.training.console import say, warn
from catan_pz.training.self_play_games import Decisions
from catan_pz.training.self_play_network import SelfPlayNetwork

SAMPLE: Final = 2048
"""Decisions of an update that the policy's figures are taken from."""


def divergence(log_probabilities: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """The mean Kullback-Leibler divergence of policies from others, by log-probabilities (K, A)."""
    return (log_probabilities.exp() * (log_probabilities - others)).sum(-1).mean()


def explained_variance(values: torch.Tensor, returns: torch.Tensor) -> float:
    """The share of the variance of returns (K,) that values (K,) explain; NaN without variance."""
    variance = returns.var(correction=0)
    if not variance > 0:
        return float("nan")
    return float(1 - (returns - values).var(correction=0) / variance)


def explained_outcomes(values: torch.Tensor, won: torch.Tensor) -> float:
    """The share of the variance of who won that values explain at best, by any linear scale.

    Args:
        values: (K,).
        won: (K,) 1 or 0, NaN where it isn't known.
    """
    known = ~won.isnan()
    both = torch.stack([values[known], won[known]])
    if both.shape[1] < 2 or not bool((both.var(1, correction=0) > 0).all()):
        return float("nan")
    return float(both.corrcoef()[0, 1].square())


@torch.no_grad()  # type: ignore[untyped-decorator]
def update_figures(network: SelfPlayNetwork, start: Any, played: Decisions) -> dict[str, float]:
    """Figures of an update, by the names that they have in TensorBoard.

    Args:
        network: as it is after the update.
        start: the policy that self-play began with; None before it has begun.
        played: the decisions of the update.

    Returns:
        `explained_variance` (of the returns, by the values during play), `explained_outcomes` (of
        who won, by the same), and of at most `SAMPLE` decisions after the update: `approx_kl`
        (divergence from the policy that played), `kl_from_start`, `entropy` and `value_loss`.
    """
    returns = played.targets[:, 0]
    values = returns - played.advantage
    device = returns.device
    random = torch.Generator(device).manual_seed(0)
    batch = played[torch.randperm(len(played), generator=random, device=device)[:SAMPLE]]
    log_probabilities, new_values = network(batch.units, batch.mask, batch.hidden)
    log_ratio = log_probabilities.gather(1, batch.action[:, None])[:, 0] - batch.log_probability
    moved = float("nan")
    if start is not None:
        started = network.log_probabilities(batch.units, batch.mask, start)
        moved = float(divergence(log_probabilities, started))
    errors = (new_values - batch.targets).square() * batch.has_target
    return {
        "approx_kl": float((log_ratio.exp() - 1 - log_ratio).mean()),
        "kl_from_start": moved,
        "entropy": float(-(log_probabilities.exp() * log_probabilities).sum(-1).mean()),
        "value_loss": float(errors.mean()),
        "explained_variance": explained_variance(values, returns),
        "explained_outcomes": explained_outcomes(values, played.won),
    }


class UpdateLog:
    """Prints figures of updates, and writes them to TensorBoard's logs where that is installed.

    Args:
        folder: where the logs go.
        frames: frames trained so far.
    """

    def __init__(self, folder: Path, frames: int) -> None:
        self._writer: Any = None
        try:
            from catan_pz.training.tensorboard import LogWriter
        except ImportError:
            return
        self._writer = LogWriter(folder, frames, warn)

    def tell(
        self, frames: int, figures: Mapping[str, float], *, rate: float, steps: int, ended: int
    ) -> None:
        """Print and log an update.

        Args:
            frames: frames trained so far.
            figures: as `update_figures` gives them.
            rate: frames a second in it.
            steps: steps of the optimizer in it.
            ended: games that ended in it.
        """
        one = figures
        say(
            f"{frames:>11,} frames, {rate:,.0f}/s: {steps} steps, KL {one['approx_kl']:.4f}, "
            f"{one['kl_from_start']:.3f} from the start, entropy {one['entropy']:.2f}, value loss "
            f"{one['value_loss']:.4f}, explained {one['explained_variance']:.2f} of returns, "
            f"{one['explained_outcomes']:.2f} of outcomes, {ended} games ended"
        )
        if not frames:  # imitation, which has no frames to log by
            return
        known = {f"train/{name}": value for name, value in one.items() if value == value}
        counted = {"train/steps": steps, "episode/ended": ended, "time/fps": rate}
        self.write(frames, known | counted)

    def write(self, frames: int, values: Mapping[str, float]) -> None:
        """Log numbers by their tags."""
        if self._writer is not None:
            self._writer.write(dict(values), {}, frames)

    def close(self) -> None:
        """Try once more to write what couldn't be."""
        if self._writer is not None:
            self._writer.close()
