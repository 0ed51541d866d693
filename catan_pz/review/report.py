"""A review as tables, for the terminal and pages, and as notes on a replay's positions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from catan_pz.agents.advice import Advice
from catan_pz.arena.results import table
from catan_pz.names import seat_names
from catan_pz.play.frames import Frame
from catan_pz.render.log import action_words
from catan_pz.render.view import table_view
from catan_pz.render.words import decision_words, places_of
from catan_pz.review.review import KINDS, MOST_LISTED, Review

_CARDS: Final = (
    ("cards by rolls", "rolled", 0),
    ("expected", "expected", 1),
    ("cards stolen", "stolen", 0),
    ("cards lost to thieves", "lost", 0),
    ("development cards", "bought", 0),
    ("points among them", "points", 0),
    ("expected", "expected points", 1),
)
_TRADE: Final = (
    ("trades with players", "trades", 0),
    ("cards given", "given", 0),
    ("cards got", "got", 0),
    ("trades with the bank", "bank", 0),
    ("cards given", "bank given", 0),
    ("cards got", "bank got", 0),
)
"""Rows by the names of counts, with their decimal places."""


class ReviewTable(NamedTuple):
    """A table of a review; columns are seats, or rows are decisions with numbers `at`."""

    name: str
    note: str
    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    at: Sequence[int] | None = None


def tables(review: Review) -> list[ReviewTable]:
    """The tables of a review."""
    names = seat_names(review.record.names, len(review.gains))
    places = places_of(table_view(review.record.start))

    def words(action: int) -> str:
        return action_words(action, places)

    made = [_dearest(review, names), _luck(review, names)]
    if review.placements:
        made.append(_openings(review, names, words))
    cards = _counted(review, _CARDS)
    trade = _counted(review, _TRADE)
    trade.insert(3, ("gain by all trades", [*map(_points, review.gains)]))
    made.append(_by_seat("Cards", "cards from chance, and their mean", names, cards))
    note = "the gain by trades between players is in points of win probability"
    return [*made, _by_seat("Trade", note, names, trade)]


def to_markdown(review: Review) -> str:
    """All tables."""
    return "\n".join(
        f"{one.name}: {one.note}\n\n{table(one.titles, one.rows)}" for one in tables(review)
    )


def annotated(frames: Iterable[Frame], review: Review) -> Iterator[Frame]:
    """Frames with the review's advice on evaluated decisions, and its win probabilities."""
    advice = {
        one.number: Advice(
            np.array([one.best, one.played]),
            win_probabilities=np.array([one.value + one.loss, one.value]),
            agent=review.agent,
        )
        for one in review.priced
    }
    estimates = map(tuple, review.win_probabilities.tolist())
    for number, (frame, estimate) in enumerate(zip(frames, estimates, strict=True)):
        notes = frame.notes._replace(advice=advice.get(number), win_probabilities=estimate)
        yield frame._replace(notes=notes)


def _counted(review: Review, kinds: Iterable[tuple[str, str, int]]) -> list[tuple[str, list[str]]]:
    return [
        (title, [f"{counts[name]:.{digits}f}" for counts in review.counts])
        for title, name, digits in kinds
    ]


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _by_seat(
    name: str, note: str, names: list[str], rows: Iterable[tuple[str, Iterable[str]]]
) -> ReviewTable:
    return ReviewTable(name, note, ("", *names), [(title, *cells) for title, cells in rows])


def _luck(review: Review, names: list[str]) -> ReviewTable:
    def percents(shares: Any) -> list[str]:
        return [f"{100 * share:.1f}" for share in shares]

    rows = [("at the start, %", percents(review.win_probabilities[0]))]
    if review.at_first_roll is not None:
        rows.append(("at the first roll, %", percents(review.at_first_roll)))
    for kind, luck in zip(KINDS, review.luck.T, strict=True):
        rows.append((f"luck: {kind}", [*map(_points, luck)]))
    rows.append(("play", [*map(_points, review.play)]))
    rows.append(("at the end, %", percents(review.win_probabilities[-1])))
    note = "changes in points of win probability; play is all but chance, of all players"
    return _by_seat("Luck and play", note, names, rows)


def _dearest(review: Review, names: list[str]) -> ReviewTable:
    dearest, rows, views = review.priced[:MOST_LISTED], [], {}
    listed = {one.number for one in dearest}
    for number, game in enumerate(review.record.replay()):
        if number in listed:
            views[number] = table_view(game.snapshot(), names=names)
    for one in dearest:
        lost = f"{100 * one.loss:.1f} ± {100 * one.error:.1f}"
        played, best = (decision_words(a, views[one.number]) for a in (one.played, one.best))
        rows.append((str(one.turn), names[one.seat], lost, played, best))
    note = f"points of win probability, priced by {review.agent}, with standard errors"
    titles = ("turn", "player", "lost", "played", "better")
    return ReviewTable("Dearest decisions", note, titles, rows, [one.number for one in dearest])


def _openings(review: Review, names: list[str], words: Callable[[int], str]) -> ReviewTable:
    priced, rows = {one.number: one for one in review.priced}, []
    for one in review.placements:
        dear = priced.get(one.number)
        better = "" if dear is None else f"{words(dear.best)} ({_points(dear.loss)})"
        rank = f"{one.rank} of {one.legal}"
        rows.append((names[one.seat], rank, words(one.action), better))
    note, titles = (
        "settlements by rank among the legal ones",
        ("player", "rank", "placed", "better"),
    )
    return ReviewTable("Openings", note, titles, rows, [one.number for one in review.placements])
