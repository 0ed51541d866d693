"""The results of matches as one HTML page: ratings, strength by time, pairings, replays."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import count
from math import ceil, floor, log10

from catan_pz.arena.ratings import Rating
from catan_pz.arena.report import points
from catan_pz.arena.results import Result, percent
from catan_pz.web.page_files import content, filled, joined


def results_page(
    title: str,
    words: str,
    result: Result,
    ratings: Sequence[Rating],
    replays: Mapping[str, str],
    report: str = "",
) -> str:
    """A page that loads nothing else.

    Args:
        title: title of the page.
        words: description of the match.
        result: the games.
        ratings: their ratings, the strongest first; may be empty.
        replays: description of each, by the address of its file.
        report: more tables, as text.
    """
    names = [rating.name for rating in ratings]
    names += sorted({*result.played} - {*names}, key=lambda name: -result.win_rate(name))
    parts = {
        "title": escape(title),
        "words": escape(words),
        "style": joined(("colors", "index", "results"), "css"),
        "ratings": _ratings(result, names, {rating.name: rating for rating in ratings}),
        "times": _times(result, ratings),
        "pairs": _pairs(result, names),
        "replays": "".join(
            f'<li><a href="{escape(address)}">{escape(told)}</a></li>\n'
            for address, told in replays.items()
        ),
        "report": f"<pre>{escape(report)}</pre>" if report else "",
    }
    page = re.sub(
        r"(?s)<section data-of=(\w+)>.*?</section>\n",
        lambda found: found[0] if parts[found[1]] else "",
        content("results.html"),
    )
    return filled(page, parts)


def _table(titles: Sequence[str], rows: Sequence[str]) -> str:
    heads = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table>"


def _ratings(result: Result, names: Sequence[str], ratings: Mapping[str, Rating]) -> str:
    shown = [(one.rating, *(one.interval or ())) for one in ratings.values()]
    ends = [end for one in shown for end in one if end is not None] or [0.0]
    left, width = min(ends), max(max(ends) - min(ends), 1)
    titles = ["", "agent", "seats", "won", "ms a decision"]
    if ratings:
        titles[2:2] = ["rating", "95 %", ""]
    rows = []
    for place, name in enumerate(names, 1):
        tally = result.tally(name)
        cells = [f"<td>{place}</td>", f'<th scope="row">{escape(name)}</th>']
        if ratings:
            one = ratings[name]
            low, high = (one.rating if end is None else end for end in one.interval or (None, None))
            at, begin = (100 * (value - left) / width for value in (one.rating, low))
            bar = f'<i style="left:{begin:.2f}%;width:{100 * (high - low) / width:.2f}%"></i>'
            cells.append(f"<td>{one.rating:+.0f}</td><td>{points(one.interval)}</td>")
            cells.append(f'<td class="scale">{bar}<b style="left:{at:.2f}%"></b></td>')
        rate = percent(result.win_rate(name))
        cells.append(f"<td>{tally.seats:,}</td><td>{rate}</td><td>{tally.milliseconds:.3g}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    return _table(titles, rows)


def _times(result: Result, ratings: Sequence[Rating]) -> str:
    """Ratings over the time of a decision, on a logarithmic scale."""
    if len(ratings) < 2:
        return ""
    powers = [log10(max(result.tally(one.name).milliseconds, 1e-3)) for one in ratings]
    first, last = floor(min(powers)), max(ceil(max(powers)), floor(min(powers)) + 1)
    height = max(ratings[0].rating - ratings[-1].rating, 1)
    marks = [
        f'<u style="left:{100 * (power - first) / (last - first):.1f}%">{10.0**power:g}</u>'
        for power in range(first, last + 1)
    ]
    placed: list[tuple[float, float]] = []
    for power, place, one in sorted(zip(powers, count(1), ratings, strict=False), reverse=True):
        left = (power - first) / (last - first)
        bottom = (one.rating - ratings[-1].rating) / height
        near = any(x - left < 0.15 and abs(bottom - y) < 0.05 for x, y in placed)
        placed.append((left, bottom))
        marks.append(
            f'<b{" class=left" * (near and left > 0.15)} title="{escape(one.name)}" '
            f'style="left:{100 * left:.1f}%;bottom:{100 * bottom:.1f}%">'
            f"{place}<span>{escape(one.name)}</span></b>"
        )
    return "\n".join(marks)


def _pairs(result: Result, names: Sequence[str]) -> str:
    """Who beat whom, counted by pairs of a game's winner and another seat."""
    beaten: Counter[tuple[str, str]] = Counter()
    for game in result.games:
        if game.winner is not None:
            winner = game.seats[game.winner]
            beaten.update((winner, other) for other in game.seats if other != winner)
    rows = []
    for place, name in enumerate(names, 1):
        cells = [f'<td>{place}</td><th scope="row">{escape(name)}</th>']
        for other in names:
            won, met = beaten[name, other], beaten[name, other] + beaten[other, name]
            share = won / met if met else 0.5
            color, depth = "yes" if share > 0.5 else "accent", 90 * abs(share - 0.5)
            told = f"{100 * share:.0f}" if met else ""
            mixed = f"color-mix(in srgb, var(--{color}) {depth:.0f}%, transparent)"
            cells.append(f'<td title="{won:,} of {met:,}" style="background:{mixed}">{told}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    return _table(["", "agent", *map(str, range(1, len(names) + 1))], rows)
