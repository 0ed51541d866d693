"""Results as Markdown, CSV and files."""

import csv
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from catan_pz.arena.results import FORFEIT, Result
from catan_pz.arena.statistics import Interval
from catan_pz.files import whole_file
from catan_pz.rules import Rules

LEVEL: Final = 0.95
"""Confidence level of the intervals in reports and plots."""


MOST_REASONS: Final = 10
"""Reasons of forfeits that a report lists."""


def percent(share: float | None) -> str:
    """A share in percent."""
    return "" if share is None else f"{100 * share:.1f} %"


def percents(interval: Interval | None) -> str:
    """An interval of a share in percent."""
    return "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f} %"


def lineup_title(names: Iterable[str]) -> str:
    """A line-up in words, such as "heuristic, 3 random"."""
    listed = list(names)
    counts = {name: listed.count(name) for name in listed}
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in counts.items())


def by_blocks(result: Result, name: str) -> Interval | None:
    """The interval by blocks, None where the entrant played in a single one."""
    blocks = {game.block for game in result.games if name in game.seats}
    return result.interval(name, LEVEL, by="blocks") if len(blocks) > 1 else None


def markdown(result: Result) -> str:
    """A page of Markdown: what was played, win rates, seats, ratings."""
    if not result.games:
        return "No block of games is complete.\n"
    used = sorted({game.lineup for game in result.games})
    parts = [_what_was_played(result), _win_rates(result), _seats(result)]
    if len(used) > 1:
        parts.append(_lineups(result, used))
    if len(result.played) > 1:
        parts.append(_ratings(result))
    if result.ends()[FORFEIT]:
        parts.append(_forfeits(result))
    return "\n".join(parts)


def _table(titles: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *rows]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def rules_in_words(rules: Rules) -> str:
    """The options in which rules differ from the base game."""
    changed = [
        f"`{option.name}={getattr(rules, option.name)!r}`"
        for option in fields(Rules)
        if getattr(rules, option.name) != option.default
    ]
    return ", ".join(changed) or "those of the base game"


def _what_was_played(result: Result) -> str:
    games, n = result.games, len(result.games)
    used = sorted({game.lineup for game in games})
    title = lineup_title(result.lineup_names(used[0])) if len(used) == 1 else "Tournament"
    ends = result.ends()
    turns = sum(game.turns for game in games) / n
    decisions = sum(sum(game.decisions) for game in games) / n
    return (
        f"# {title}: {n:,} games\n\n"
        f"{len({game.block for game in games}):,} seeds from seed {result.seed}, each played in "
        f"every seating on the same board with the same dice. Rules: "
        f"{rules_in_words(result.rules)}.\n\n"
        f"Ended by victory: {ends['victory']:,}; truncated: {ends['truncated']:,}; forfeited: "
        f"{ends['forfeit']:,}. A game took {turns:.1f} turns and {decisions:,.1f} decisions.\n"
    )


def _win_rates(result: Result) -> str:
    titles = [
        "agent",
        "seats",
        "won",
        "win rate",
        "95 % (Wilson)",
        "95 % by seeds",
        "points",
        "decisions a game",
        "ms a decision",
        "forfeits",
    ]
    rows = []
    for name in sorted(result.played, key=lambda name: -result.win_rate(name)):
        tally = result.tally(name)
        rows.append(
            [
                name,
                f"{tally.seats:,}",
                f"{tally.won:,}",
                percent(result.win_rate(name)),
                percents(result.interval(name, LEVEL)),
                percents(by_blocks(result, name)),
                f"{tally.points:.2f}",
                f"{tally.decisions:,.1f}",
                f"{tally.milliseconds:.3g}",
                tally.forfeits,
            ]
        )
    return _table(titles, rows)


def _seats(result: Result) -> str:
    seats = range(result.rules.num_players)
    rows = [[name, *map(percent, result.win_rates_by_seat(name))] for name in result.played]
    return _table(["win rate by seat", *map(str, seats)], rows)


def _lineups(result: Result, used: list[int]) -> str:
    rows = []
    for lineup in used:
        names = result.lineup_names(lineup)
        part = result.only(names)
        for name in part.played:
            rates = percent(part.win_rate(name)), percents(part.interval(name, LEVEL))
            rows.append([lineup_title(names), f"{len(part.games):,}", name, *rates])
    return _table(["line-up", "games", "agent", "win rate", "95 % (Wilson)"], rows)


def _ratings(result: Result) -> str:
    try:
        found = result.ratings(LEVEL)
    except ValueError as error:  # some never met
        return f"{str(error).capitalize()}.\n"
    rows = []
    for rating in found:
        ends = rating.interval
        between = "" if ends is None else f"{ends[0]:+.0f} to {ends[1]:+.0f}"
        rows.append([rating.name, f"{rating.rating:+.0f}", between])
    return _table(["agent", "rating (Elo scale)", "95 % by seeds"], rows)


def _forfeits(result: Result) -> str:
    """Why games were forfeited, the most frequent reasons first."""
    count = Counter(
        (game.seats[game.offender], game.reason)
        for game in result.games
        if game.offender is not None
    )
    rows = [[name, n, reason] for (name, reason), n in count.most_common(MOST_REASONS)]
    if len(count) > MOST_REASONS:
        rows.append(["", "", f"and {len(count) - MOST_REASONS:,} more"])
    return _table(["forfeited by", "games", "reason"], rows)


def csv_of(result: Result) -> str:
    """One line a game, after one of titles."""
    seats = range(result.rules.num_players)
    titles = ["number", "lineup", "block", *(f"seat_{p}" for p in seats), "winner", "winner_name"]
    titles += ["end", "offender", "reason", "turns"]
    titles += [f"{what}_{p}" for what in ("points", "decisions", "seconds") for p in seats]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    for game in result.games:
        winner = "" if game.winner is None else game.seats[game.winner]
        row = [game.number, game.lineup, game.block, *game.seats, game.winner, winner]
        row += [game.end, game.offender, game.reason, game.turns]
        row += [*game.points, *game.decisions, *(f"{s:.6f}" for s in game.seconds)]
        writer.writerow("" if cell is None else cell for cell in row)
    return text.getvalue()


TEXTS: Final[dict[str, Callable[[Result], str]]] = {".md": markdown, ".csv": csv_of}
PLOTS: Final = (".png", ".svg")
"""Endings of what `save` writes; of the texts, with what makes them."""


def save(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a result in the form that the ending of the file's name asks for.

    Raises:
        ValueError: for an ending that isn't known.
        ImportError: where plots lack matplotlib.
    """
    target = Path(path)
    if target.suffix in TEXTS:
        content = TEXTS[target.suffix](result).encode("utf-8")
    elif target.suffix in PLOTS:
        from catan_pz.arena.plots import drawn

        content = drawn(result, target.suffix[1:])
    else:
        raise ValueError(
            f"path={str(path)!r} is not possible; allowed: a name that ends with .md, .csv, "
            ".png or .svg"
        )
    return write_whole(target, content)


def write_whole(target: Path, content: bytes) -> Path:
    """Write a file whole or not at all."""
    with whole_file(target) as draft:
        draft.write_bytes(content)
    return target
