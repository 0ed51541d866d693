"""Bounds on hidden hands, event by event."""

import pytest

from catan_pz.belief import HandBounds, HandsChanged, HoldingShown, MonopolyTaken, Theft

pytestmark = pytest.mark.purepython

NOTHING = (0, 0, 0, 0, 0)


def after_unseen_theft() -> HandBounds:
    """Seat 1 held two brick and an ore; seat 2, with nothing, stole one of them."""
    bounds = HandBounds.known([NOTHING, (2, 0, 0, 0, 1), NOTHING])
    bounds.update(Theft(2, 1, None))
    return bounds


def cells(bounds: HandBounds, seat: int) -> list[tuple[int, int]]:
    pairs = zip(bounds.least[seat], bounds.most[seat], strict=True)
    return [(int(low), int(high)) for low, high in pairs]


def test_an_unseen_theft_widens_victim_and_thief() -> None:
    bounds = after_unseen_theft()
    assert cells(bounds, 1) == [(1, 2), (0, 0), (0, 0), (0, 0), (0, 1)]
    assert cells(bounds, 2) == [(0, 1), (0, 0), (0, 0), (0, 0), (0, 1)]


def test_an_unseen_theft_of_one_type_is_exact() -> None:
    bounds = HandBounds.known([NOTHING, (2, 0, 0, 0, 0), NOTHING])
    bounds.update(Theft(2, 1, None))
    assert cells(bounds, 1) == [(1, 1), (0, 0), (0, 0), (0, 0), (0, 0)]
    assert cells(bounds, 2) == [(1, 1), (0, 0), (0, 0), (0, 0), (0, 0)]


@pytest.mark.parametrize(
    "event",
    [
        HandsChanged((NOTHING, NOTHING, (0, 0, 0, 0, -1))),
        HoldingShown(1, (2, 0, 0, 0, 0)),
        MonopolyTaken(0, 4, (0, 0, 1)),
        Theft(0, 2, 4),
    ],
)
def test_one_cell_known_makes_all_known(event: object) -> None:
    bounds = after_unseen_theft()
    bounds.update(event)  # type: ignore[arg-type]
    assert (bounds.least == bounds.most).all()
    assert cells(bounds, 1)[0] == (2, 2)


def test_sums_alone() -> None:
    bounds = HandBounds.of_sums([0, 3, 1], [1, 3, 0])
    assert cells(bounds, 0) == [(0, 0), (0, 0), (0, 0)]
    assert cells(bounds, 1) == [(0, 1), (2, 3), (0, 0)]
    assert cells(bounds, 2) == [(0, 1), (0, 1), (0, 0)]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no hands fit"):
        after_unseen_theft().update(HoldingShown(1, (0, 0, 1, 0, 0)))
