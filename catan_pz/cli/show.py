"""Games that are watched or exported: recordings and live matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import compiling_shown
from catan_pz.cli.options import load_record, make_rules, seed_or_drawn
from catan_pz.render.overlay import Overlay
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.ui.frames import (
    Annotate,
    Frame,
    frames_of_match,
    frames_of_record,
    without_overlay,
)
from catan_pz.ui.session import Session, get_ready


@dataclass(frozen=True)
class Show:
    """A game that is watched.

    Attributes:
        frames: its positions.
        viewer: the seat whose knowledge is shown, None for all.
        names: of the seats, None where they have none.
        total: how many frames there are, None for a live match.
        session: the live match.
    """

    frames: Iterator[Frame]
    viewer: int | None
    names: list[str] | None
    total: int | None = None
    session: Session | None = None


def recorded_show(
    recording: Path, named: str | None, policy: str | None, viewer: int | None
) -> Show:
    """A recorded game.

    Args:
        recording: its file.
        named: names of the seats, separated by commas; as recorded where None.
        policy: a model whose probabilities are drawn, None for none.
        viewer: the seat whose knowledge is shown, None for all.

    Raises:
        click.ClickException: names what is wrong.
    """
    record = load_record(recording)
    seats = len(record.start["players"])
    _check_viewer(viewer, seats)
    names = record.names
    if named is not None:
        names = [name.strip() for name in named.split(",")]
        if len(names) != seats:
            raise click.UsageError(f"--names {named!r}: this game has {seats} seats")
    annotate = _annotate(policy, Rules.from_dict(record.start["rules"]))
    with compiling_shown():
        for _ in islice(frames_of_record(record, viewer, names, annotate), 2):
            pass
    frames = frames_of_record(record, viewer, names, annotate)
    return Show(frames, viewer, names, len(record.decisions) + 1)


def live_show(
    agents: str, policy: str | None, viewer: int | None, seed: int | None, chosen: dict[str, Any]
) -> Show:
    """A match that is played while it is watched.

    Args:
        agents: who plays, separated by commas.
        policy: a model whose probabilities are drawn, None for none.
        viewer: the seat whose knowledge is shown, None for all.
        seed: of the game; drawn where None.
        chosen: options of the rules.

    Raises:
        click.ClickException: names what is wrong.
    """
    rules = make_rules(**chosen, agents=f"{agents},{policy or ''}")
    _check_viewer(viewer, rules.num_players)
    players = _players(agents, rules)
    annotate = _annotate(policy, rules)
    with compiling_shown():
        get_ready(rules, players)
    seed = seed_or_drawn(seed)
    session = Session(Game(rules, seed), players, seed, viewer=viewer)
    frames = frames_of_match(session, annotate)
    return Show(frames, viewer, session.names, session=session)


def _check_viewer(viewer: int | None, seats: int) -> None:
    if viewer is not None and viewer >= seats:
        raise click.UsageError(f"--viewer {viewer}: this game has the seats 0 to {seats - 1}")


def _annotate(policy: str | None, rules: Rules) -> Annotate:
    """A model's probabilities in the place of whoever is to move."""
    if policy is None:
        return without_overlay
    agent = load_agent(policy, rules)
    if not hasattr(agent, "probabilities"):
        raise click.UsageError(f"--policy {policy}: only saved models show their probabilities")

    def annotate(game: Game) -> Overlay:
        if not game.mask.any():
            return Overlay(percent=True)
        return Overlay.of_policy(
            agent.probabilities(game.observe(game.player)[None], game.mask[None])[0]
        )

    return annotate


def _players(agents: str, rules: Rules) -> list[Any]:
    specs = specs_by_seat("--agents", agents, rules.num_players, "seats")
    return [load_agent(spec, rules) for spec in specs]
