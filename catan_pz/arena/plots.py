"""Plots of results: win rates and ratings with their intervals."""

import io
import warnings
from collections.abc import Mapping
from typing import Any

from catan_pz.arena.ratings import OpenInterval, rate
from catan_pz.arena.results import Result
from catan_pz.names import plotted

_INK = "#1f3a5f"
_FAINT = "#8a8f98"
_LONGEST = 40
"""Characters that are shown of a name."""


def plot(result: Result, kind: str) -> bytes:
    """A plot of a result as the content of a file.

    Args:
        result: the result.
        kind: "png" or "svg".
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'catan-pz[arena]'") from error
    if not result.games:
        raise ValueError("there is nothing to plot: no block of games is complete")
    result = result.labelled(_LONGEST)
    names = sorted(result.played, key=result.win_rate)
    ratings = _ratings(result)
    columns = 2 if ratings else 1
    # Ids of an SVG follow from the salt, so that the same result gives the same file.
    with rc_context({"svg.hashsalt": "catan-pz", "font.size": 10}):
        figure = Figure(figsize=(4.8 * columns, 1.4 + 0.42 * len(names)), layout="constrained")
        axes = figure.subplots(1, columns, squeeze=False)[0]
        rates = {
            name: (result.win_rate(name), result.block_interval(name) or result.interval(name))
            for name in names
        }
        _dots(axes[0], names, rates, scale=100)
        axes[0].set_xlabel("win rate, % (95 % interval by seeds)")
        axes[0].axvline(100 / result.rules.num_players, color=_FAINT, linewidth=1, linestyle=":")
        if ratings:
            order = sorted(ratings, key=lambda name: ratings[name][0])
            _dots(axes[1], order, ratings, scale=1)
            axes[1].set_xlabel("rating, Elo scale (95 % interval by seeds)")
        figure.suptitle(f"{len(result.games):,} games", color=_INK)
        content = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            figure.savefig(content, format=kind, dpi=150, metadata=metadata)
    return content.getvalue()


def _ratings(result: Result) -> dict[str, tuple[float, OpenInterval | None]]:
    if len(result.played) < 2:
        return {}
    try:
        return {r.name: (r.rating, r.interval) for r in rate(result)}
    except ValueError:  # some never met
        return {}


def _dots(
    axes: Any,
    names: list[str],
    values: Mapping[str, tuple[float, OpenInterval | None]],
    scale: float,
) -> None:
    """A dot with its interval for each name, the first at the bottom.

    Where an end is open, the dot is an arrowhead.
    """
    for height, name in enumerate(names):
        value, interval = values[name]
        low, high = interval or (value, value)
        ends = [scale * (value if end is None else end) for end in (low, high)]
        axes.plot(ends, [height, height], color=_INK, linewidth=2)
        marker = {(True, False): "<", (False, True): ">"}.get((low is None, high is None), "o")
        axes.plot([scale * value], [height], marker, color=_INK, markersize=6)
    axes.set_yticks(range(len(names)), map(plotted, names))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="x", color="#e6e8eb")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
