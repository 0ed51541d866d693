"""Openings of recorded games: initial settlements and their win rates."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.arena.report import FAINT, dots
from catan_pz.arena.results import percent, percents, table
from catan_pz.arena.statistics import LEVEL, Interval, normal_quantile, wilson
from catan_pz.game.record import GameRecord
from catan_pz.terms import Phase

PIPS: Final = ("to 17 pips", "18 or 19 pips", "20 or 21 pips", "22 or 23 pips", "24 pips or more")
_PLACES: Final = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Opening:
    """The two initial settlements of a seat.

    Attributes:
        place: its index in the order of placing, from 0.
        pips: (R,) ways out of 36 to produce each resource, once per settlement at a hex.
        rate: its best rate in maritime trade: 4 without a harbor.
        won: whether the seat won.
    """

    place: int
    pips: tuple[int, ...]
    rate: int
    won: bool


def openings_of(record: GameRecord) -> list[Opening]:
    """The openings of all seats; none if the record lacks the set-up or a winner."""
    winner = record.result.get("winner")
    if record.start["phase"] != "setup_settlement" or winner is None:
        return []
    for game in record.replay():
        if game.phase == Phase.ROLL:
            n, first, s = game.rules.num_players, game.player, game.games[0]
            return [
                Opening(
                    (p - first) % n, tuple(s["pips"][p].tolist()), s["rate"][p].min(), p == winner
                )
                for p in range(n)
            ]
    return []


class Group(NamedTuple):
    """Seats with similar openings.

    Attributes:
        name: their common property.
        seats: their number.
        won: number of those that won.
    """

    name: str
    seats: int
    won: int

    @classmethod
    def of(cls, name: str, members: Iterable[Opening]) -> Self:
        """A group from its seats."""
        listed = [one.won for one in members]
        return cls(name, len(listed), sum(listed))

    @property
    def interval(self) -> Interval:
        """95 % interval of the win rate (Wilson); seats of one game aren't independent."""
        return wilson(self.won, self.seats, normal_quantile(LEVEL))


def groups(games: list[list[Opening]]) -> list[Group]:
    """Group seats by place, pips, resources, harbors, and their maxima at the table.

    Args:
        games: the openings of each game; all with the same number of players.
    """
    seats = [one for game in games for one in game]
    found = [Group.of(f"places {_PLACES[k]}", (o for o in seats if o.place == k)) for k in range(4)]
    found += [
        Group.of(name, (o for o in seats if min(max(sum(o.pips) // 2 - 8, 0), 4) == k))
        for k, name in enumerate(PIPS)
    ]
    for k in range(1, len(RESOURCE_NAMES) + 1):
        alike = (o for o in seats if sum(n > 0 for n in o.pips) == k)
        found.append(Group.of(f"{k} resource{'s' * (k > 1)}", alike))
    for rate, name in ((4, "no harbor"), (3, "3:1 harbor"), (2, "2:1 harbor")):
        found.append(Group.of(name, (o for o in seats if o.rate == rate)))
    found.append(Group.of("most pips", _with_most(games, lambda o: sum(o.pips))))
    for r, name in enumerate(RESOURCE_NAMES):
        found.append(Group.of(f"most {name}", _with_most(games, lambda o, r=r: o.pips[r])))  # type: ignore[misc]
    return [group for group in found if group.seats]


def _with_most(games: list[list[Opening]], of: Callable[[Opening], int]) -> Iterator[Opening]:
    """The seat of each game that has the unique maximum of a quantity."""
    for game in games:
        first, second = sorted(game, key=of)[:-3:-1]
        if of(first) > of(second):
            yield first


def to_markdown(found: Iterable[Group]) -> str:
    """A table of groups."""
    rows = [
        (g.name, f"{g.seats:,}", f"{g.won:,}", percent(g.won / g.seats), percents(g.interval))
        for g in found
    ]
    return table(("opening", "seats", "won", "win rate", "95 % (Wilson)"), rows)


def draw(axes: Any, found: Iterable[Group], players: int) -> None:
    """Plot the win rates of groups with their intervals, and the chance level."""
    rates = {g.name: (g.won / g.seats, g.interval) for g in found}
    dots(axes, [*rates][::-1], rates, scale=100)
    axes.axvline(100 / players, color=FAINT, linewidth=1, linestyle=":")
    axes.set_xlabel(f"win rate of {players} players, % (95 % interval)")
