"""Reports of results: Markdown tables, CSV, or a plot in a file."""

import csv
import io
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from catan_pz.arena.common_dice import has_common_dice
from catan_pz.arena.ratings import OpenInterval, Rating, rate, ratings_of
from catan_pz.arena.results import FORFEIT, Result, percent, percents, table, win_rates
from catan_pz.arena.schedule import seatings
from catan_pz.checks import not_possible
from catan_pz.files import write_bytes
from catan_pz.names import labels, markdown, plotted, shown
from catan_pz.rules import Rules

MAX_REASONS: Final = 10
"""Most reasons of forfeits in a list."""

INK: Final = "#1f3a5f"
FAINT: Final = "#8a8f98"
_LONGEST: Final = 40
"""Most characters of a name in a plot."""


def points(interval: OpenInterval | None) -> str:
    """An interval of a rating."""
    if interval is None:
        return ""
    low, high = interval
    if low is None:
        return "open" if high is None else f"below {high:+.0f}"
    return f"above {low:+.0f}" if high is None else f"{low:+.0f} to {high:+.0f}"


def lineup_title(names: Iterable[str]) -> str:
    """A line-up as text, such as "heuristic, 3 random"."""
    listed = list(names)
    counts = {name: listed.count(name) for name in listed}
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in counts.items())


def to_markdown(result: Result) -> str:
    """A Markdown page: the match, win rates, seats, ratings."""
    if not result.games:
        return "No block of games is complete.\n"
    result = result.labelled()
    used = sorted({game.lineup for game in result.games})
    seats = map(str, range(result.rules.num_players))
    rates = [[name, *map(percent, result.win_rates_by_seat(name))] for name in result.played]
    parts = [_summary(result), win_rates(result), table(["win rate by seat", *seats], rates)]
    if len(used) > 1:
        parts.append(_lineups(result, used))
    if len(result.played) > 1:
        parts.append(_ratings(result))
    parts += [f"Reported by {line}.\n" for line in map(markdown, report_lines(result))]
    if result.ends()[FORFEIT]:
        parts.append(_forfeits(result))
    return "\n".join(parts)


def forfeit_lines(result: Result) -> list[str]:
    """A line for each entrant that forfeited games: their number, and the reason of the first."""
    if not result.ends()[FORFEIT]:
        return []
    labelled = result.labelled()
    first: dict[str, str] = {}
    for game in labelled.games:
        if game.offender is not None:
            first.setdefault(game.seats[game.offender], game.reason)
    return [
        f"{name} forfeited {labelled.tally(name).forfeits:,} of "
        f"{sum(name in game.seats for game in labelled.games):,} games, the first because: {reason}"
        for name, reason in first.items()
    ]


def report_lines(result: Result) -> list[str]:
    """A line for each agent that reported statistics of its games."""
    told = {name: result.reported(name) for name in result.played}
    return [report_line(name, totals) for name, totals in told.items() if totals]


def report_line(name: str, totals: Mapping[str, float]) -> str:
    """The report of an agent as a line, such as "m: questions 12, ..."."""
    return f"{shown(name)}: " + ", ".join(f"{what} {n:,.4g}" for what, n in totals.items())


def changed_options(rules: Rules) -> str:
    """The options in which rules differ from the base game."""
    changed = [f"`{name}={value!r}`" for name, value in rules.differences().items()]
    return ", ".join(changed) or "those of the base game"


def _summary(result: Result) -> str:
    games, n = result.games, len(result.games)
    used = sorted({game.lineup for game in games})
    title = lineup_title(result.lineup_names(used[0])) if len(used) == 1 else "Tournament"
    ends = result.ends()
    turns = sum(game.turns for game in games) / n
    decisions = sum(sum(game.decisions) for game in games) / n
    return (
        f"# {markdown(title)}: {n:,} games\n\n"
        f"{_dealt(result)} Rules: {changed_options(result.rules)}.\n\n"
        f"Ended by victory: {ends['victory']:,}; truncated: {ends['truncated']:,}; forfeited: "
        f"{ends['forfeit']:,}. A game took {turns:.1f} turns and {decisions:,.1f} decisions.\n"
    )


def _dealt(result: Result) -> str:
    """A sentence on the common settings of the games."""
    count = Counter((game.block, game.lineup) for game in result.games)
    if any(n < len(seatings(result.lineups[lineup])) for (_, lineup), n in count.items()):
        return "Another table drew seats, boards and dice anew for each game."
    rules = result.rules
    is_scripted = not isinstance(rules.dice, str)
    dice = " with the same dice" if is_scripted or has_common_dice(rules) else ""
    return (
        f"{len({block for block, _ in count}):,} seeds from seed {result.seed}, each played in "
        f"every seating on the same board{dice}."
    )


def _lineups(result: Result, used: list[int]) -> str:
    rows = []
    for lineup in used:
        names = result.lineup_names(lineup)
        part = result.only(names)
        for name in part.played:
            rates = percent(part.win_rate(name)), percents(part.interval(name))
            rows.append([lineup_title(names), f"{len(part.games):,}", name, *rates])
    return table(["line-up", "games", "agent", "win rate", "95 % (Wilson)"], rows)


def _ratings(result: Result) -> str:
    try:
        ratings = rate(result)
    except ValueError as error:  # some entrants never met
        return f"{str(error).capitalize()}.\n"
    return ratings_table(ratings)


def ratings_table(ratings: Sequence[Rating]) -> str:
    """Ratings with their intervals, in Markdown."""
    rows = [[rated.name, f"{rated.rating:+.0f}", points(rated.interval)] for rated in ratings]
    return table(["agent", "rating (Elo scale)", "95 % by seeds"], rows)


def _forfeits(result: Result) -> str:
    """The reasons of forfeits, the most frequent first."""
    count = Counter(
        (game.seats[game.offender], game.reason)
        for game in result.games
        if game.offender is not None
    )
    rows = [[name, n, reason] for (name, reason), n in count.most_common(MAX_REASONS)]
    if len(count) > MAX_REASONS:
        rows.append(["", "", f"and {len(count) - MAX_REASONS:,} more"])
    return table(["forfeited by", "games", "reason"], rows)


def to_csv(result: Result) -> str:
    """A header and one line per game."""
    result = result.labelled()
    seats = range(result.rules.num_players)
    titles = ["number", "lineup", "block", *(f"seat_{p}" for p in seats), "winner", "winner_name"]
    titles += ["end", "offender", "reason", "turns"]
    titles += [f"{what}_{p}" for what in ("points", "decisions", "seconds") for p in seats]
    rows = []
    for game in result.games:
        winner = None if game.winner is None else game.seats[game.winner]
        row = [game.number, game.lineup, game.block, *game.seats, game.winner, winner]
        row += [game.end, game.offender, game.reason, game.turns]
        rows.append([*row, *game.points, *game.decisions, *(f"{s:.6f}" for s in game.seconds)])
    return _csv(titles, rows)


def ratings_csv(result: Result, ratings: Sequence[Rating]) -> str:
    """A header and one line per agent; an open end of an interval is left empty."""
    rows = []
    for one in ratings:
        tally, numbers = result.tally(one.name), (one.rating, *(one.interval or (None, None)))
        rounded = [None if number is None else f"{number:.1f}" for number in numbers]
        rows.append([one.name, *rounded, tally.seats, f"{tally.milliseconds:.3g}"])
    return _csv(["agent", "rating", "low", "high", "seats", "ms a decision"], rows)


def _csv(titles: list[str], rows: list[list[Any]]) -> str:
    """Lines of CSV; None is left empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([titles, *rows])
    return text.getvalue()


def drawn(
    kind: str, width: float, height: float, draw: Callable[[Any], None], *, dpi: int = 150
) -> bytes:
    """A matplotlib figure as the content of a file.

    Args:
        kind: type of the file, "png", "svg" or "pdf".
        width: width of the figure, in inches; text is smaller up to 4 inches.
        height: height of the figure, in inches.
        draw: a function that draws on it.
        dpi: pixels per inch of a PNG.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'catan-pz[arena]'") from error
    # An SVG's ids follow from the salt, so that the same result gives the same file.
    with rc_context({"svg.hashsalt": "catan-pz", "font.size": 10 if width > 4 else 8}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        content = io.BytesIO()
        dated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            figure.savefig(content, format=kind, dpi=dpi, metadata=dated.get(kind, {}))
    return content.getvalue()


def save_plot(path: Path, width: float, height: float, draw: Callable[[Any], None]) -> None:
    """Write a figure from `drawn` to a .png, .svg or .pdf file."""
    if path.suffix not in PLOTS:
        raise not_possible("path", str(path), f"a name that ends with one of {', '.join(PLOTS)}")
    write_bytes(path, drawn(path.suffix[1:], width, height, draw))


def plot(result: Result, kind: str, width: float | None = None) -> bytes:
    """A plot of a result as the content of a file of the type "png", "svg" or "pdf".

    `width` in inches, such as 3.4 for a journal's column, stacks the two parts.
    """
    if not result.games:
        raise ValueError("there is nothing to plot: no block of games is complete")
    result = result.labelled(_LONGEST)
    names = sorted(result.played, key=result.win_rate)
    ratings = ratings_of(result)
    parts = 2 if len(ratings) > 1 else 1
    if width is None:
        shape, size = (1, parts), (4.8 * parts, 1.4 + 0.42 * len(names))
    else:
        shape, size = (parts, 1), (width, parts * (0.9 + 0.24 * len(names)))

    def draw(figure: Any) -> None:
        axes = figure.subplots(*shape, squeeze=False).flat
        rates = {
            name: (result.win_rate(name), result.block_interval(name) or result.interval(name))
            for name in names
        }
        dots(axes[0], names, rates, scale=100)
        axes[0].set_xlabel("win rate, % (95 % interval by seeds)")
        axes[0].axvline(100 / result.rules.num_players, color=FAINT, linewidth=1, linestyle=":")
        if parts > 1:
            _draw_ratings(axes[1], ratings)
        figure.suptitle(f"{len(result.games):,} games", color=INK)

    return drawn(kind, *size, draw)


def dots(
    axes: Any,
    names: list[str],
    values: Mapping[str, tuple[float, OpenInterval | None]],
    scale: float,
) -> None:
    """A dot with its interval for each name, the first at the bottom.

    If an end is open, the dot is an arrowhead.
    """
    for height, name in enumerate(names):
        value, interval = values[name]
        low, high = interval or (value, value)
        ends = [scale * (value if end is None else end) for end in (low, high)]
        axes.plot(ends, [height, height], color=INK, linewidth=2)
        marker = {(True, False): "<", (False, True): ">"}.get((low is None, high is None), "o")
        axes.plot([scale * value], [height], marker, color=INK, markersize=6)
    axes.set_yticks(range(len(names)), map(plotted, names))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="x", color="#e6e8eb")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _draw_ratings(axes: Any, ratings: Sequence[Rating]) -> None:
    """Draw ratings with their intervals, the first at the top."""
    label = labels((one.name for one in ratings), _LONGEST)
    values = {label[one.name]: (one.rating, one.interval) for one in ratings[::-1]}
    dots(axes, [*values], values, scale=1)
    axes.set_xlabel("rating, Elo scale (95 % interval by seeds)")


def ratings_plot(ratings: Sequence[Rating], kind: str) -> bytes:
    """Ratings with their intervals as the content of a file, like `plot`."""
    height = 1.0 + 0.32 * len(ratings)
    return drawn(kind, 6.4, height, lambda figure: _draw_ratings(figure.subplots(), ratings))


TABLES: Final = {".md": to_markdown, ".csv": to_csv}
"""Functions that make the text of a file, by suffix."""

PLOTS: Final = (".png", ".svg", ".pdf")
"""Suffixes of plots."""


def save_report(
    result: Result, path: str | os.PathLike[str], *, width: float | None = None
) -> Path:
    """Write a result atomically as tables (.md, .csv) or as a plot (.png, .svg, .pdf).

    The path's suffix chooses the format. `width` is the width of a plot in inches, such as 3.4 for
    a journal's column. Returns the path.
    """
    target = Path(path)
    if target.suffix in TABLES:
        content = TABLES[target.suffix](result).encode("utf-8")
    elif target.suffix in PLOTS:
        content = plot(result, target.suffix[1:], width)
    else:
        endings = ", ".join([*TABLES, *PLOTS])
        raise not_possible("path", str(path), f"a name that ends with one of {endings}")
    write_bytes(target, content)
    return target
