"""Notes on the positions of a game: by whom, and from whose view."""

from itertools import islice
from pathlib import Path

import pytest

from catan_pz.agents.search import SearchAgent
from catan_pz.game.record import GameRecord
from catan_pz.play.annotations import Annotations, overlay_of
from catan_pz.play.frames import Frame, frames_of_record

SEARCH = SearchAgent(simulations=2, determinizations=1, turns=0, rollout="random")


def annotated(path: Path, annotations: Annotations, viewer: int | None) -> list[Frame]:
    frames = frames_of_record(GameRecord.load(path), viewer, annotate=annotations)
    first = list(islice(frames, 60))
    annotations.close()
    return first


def test_everybody_gets_advice_from_its_own_view(recorded: Path) -> None:
    frames = annotated(recorded, Annotations("random", SEARCH, draw=True), None)
    movers = {f.state["player_to_move"] for f in frames if f.notes.advice is not None}
    assert movers == {0, 1}
    for frame in frames:
        assert frame.notes.win_probabilities is not None
        assert sum(frame.notes.win_probabilities) == pytest.approx(1, abs=0.01)
        assert frame.notes.overlay == overlay_of(frame.notes.advice)


def test_a_viewer_sees_advice_on_its_own_decisions_alone(recorded: Path) -> None:
    frames = annotated(recorded, Annotations("random", viewer=1), 1)
    movers = {f.state["player_to_move"] for f in frames if f.notes.advice is not None}
    assert movers == {1}
    assert all(frame.notes.overlay is None for frame in frames)


def test_who_estimates_nothing_is_refused(recorded: Path) -> None:
    record = GameRecord.load(recorded)
    with pytest.raises(ValueError, match="'heuristic' doesn't estimate win probabilities"):
        next(frames_of_record(record, annotate=Annotations(win_probability="heuristic")))
