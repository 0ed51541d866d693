"""Games that are watched or exported: recordings and live matches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import click

from catan_pz.agents.base import Agent
from catan_pz.cli.agents import Command, load_agent, specs_by_seat
from catan_pz.cli.console import compiling_shown
from catan_pz.cli.options import load_record, make_rules, record_errors, seed_or_drawn
from catan_pz.game.game import Game
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import Frame, frames_of_match, frames_of_record
from catan_pz.play.session import Session, get_ready
from catan_pz.rules import Rules


@dataclass(frozen=True)
class Asked:
    """Agents that are asked about each position, as they are named on the command line.

    Attributes:
        advice: who says what it thinks of decisions, None for nobody.
        win_probability: who estimates win probabilities, None for nobody.
        draw: whether advice is drawn into the pictures.
    """

    advice: str | None = None
    win_probability: str | None = None
    draw: bool = True

    @property
    def specs(self) -> str:
        """Their names, separated by commas."""
        return ",".join(filter(None, (self.advice, self.win_probability)))

    def annotations(
        self, rules: Rules, viewer: int | None, *, recorded: bool = False
    ) -> Annotations:
        """What they make of a game.

        Args:
            rules: of the game.
            viewer: the seat whose knowledge is shown, None for all.
            recorded: whether it is a recorded game.

        Raises:
            click.UsageError: one of them can't be asked.
        """
        adviser, estimator = (
            None if spec is None else load_agent(spec, rules, recorded=recorded)
            for spec in (self.advice, self.win_probability)
        )
        if estimator is not None and type(estimator).win_probabilities is Agent.win_probabilities:
            raise click.UsageError(
                f"--win-probability {self.win_probability}: this agent estimates no win "
                "probabilities; 'search' does"
            )
        return Annotations(adviser, estimator, viewer, draw=self.draw)


@dataclass(frozen=True)
class Show:
    """A game that is watched.

    Attributes:
        frames: its positions.
        viewer: the seat whose knowledge is shown, None for all.
        names: of the seats, None where they have none.
        total: how many frames there are, None for a live match.
        session: the live match.
        annotations: what agents make of it.
    """

    frames: Iterator[Frame]
    viewer: int | None
    names: list[str] | None
    total: int | None = None
    session: Session | None = None
    annotations: Annotations = field(default_factory=Annotations)

    def close(self) -> None:
        """Let all agents go."""
        self.annotations.close()
        if self.session is not None:
            self.session.close()


def notes_options(command: Command) -> Command:
    """The options `--advice` and `--win-probability`."""
    for option in (
        click.option(
            "--win-probability",
            metavar="AGENT",
            help="Chart the win probabilities that this agent estimates, such as search.",
        ),
        click.option(
            "--advice",
            metavar="AGENT",
            help="Show what this agent thinks of each move.",
        ),
    ):
        command = option(command)
    return command


def recorded_show(recording: Path, named: str | None, asked: Asked, viewer: int | None) -> Show:
    """A recorded game.

    Args:
        recording: its file.
        named: names of the seats, separated by commas; as recorded where None.
        asked: who is asked about the positions.
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
    with compiling_shown(), record_errors(recording):
        for _ in record.replay():
            pass
    rules = Rules.from_dict(record.start["rules"])
    annotate = asked.annotations(rules, viewer, recorded=True)
    with compiling_shown():
        for _ in islice(frames_of_record(record, viewer, names, annotate), 2):
            pass
    frames = frames_of_record(record, viewer, names, annotate)
    return Show(frames, viewer, names, len(record.decisions) + 1, annotations=annotate)


def live_show(
    agents: str, asked: Asked, viewer: int | None, seed: int | None, chosen: dict[str, Any]
) -> Show:
    """A match that is played while it is watched.

    Args:
        agents: who plays, separated by commas.
        asked: who is asked about the positions.
        viewer: the seat whose knowledge is shown, None for all.
        seed: of the game; drawn where None.
        chosen: options of the rules.

    Raises:
        click.ClickException: names what is wrong.
    """
    rules = make_rules(**chosen, agents=f"{agents},{asked.specs}")
    _check_viewer(viewer, rules.num_players)
    specs = specs_by_seat("--agents", agents, rules.num_players, "seats")
    players = [load_agent(spec, rules) for spec in specs]
    annotate = asked.annotations(rules, viewer)
    with compiling_shown():
        get_ready(rules, players)
    seed = seed_or_drawn(seed)
    session = Session(Game(rules, seed), players, seed, viewer=viewer, specs=specs)
    frames = frames_of_match(session, annotate)
    return Show(frames, viewer, session.names, session=session, annotations=annotate)


def _check_viewer(viewer: int | None, seats: int) -> None:
    if viewer is not None and viewer >= seats:
        raise click.UsageError(f"--viewer {viewer}: this game has the seats 0 to {seats - 1}")
