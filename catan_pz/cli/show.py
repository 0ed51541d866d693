"""Games that are watched or exported: recordings and live matches, pictures, films, replays."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console

from catan_pz.agents.base import Agent
from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import (
    check_seat,
    compiling_shown,
    load_record,
    need,
    record_errors,
    usage_errors,
)
from catan_pz.cli.options import RuleChoice, WatchChoice
from catan_pz.game.game import Game, drawn_seed
from catan_pz.game.record import GameRecord
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import Frame, frames_of_match, frames_of_record, reasons_of
from catan_pz.play.session import PlayedGame, get_ready
from catan_pz.progress import tracked
from catan_pz.render.export import FILMS, PICTURES, save_film, save_picture
from catan_pz.render.figure import figure_svg
from catan_pz.render.svg import board_svg
from catan_pz.review import review_record
from catan_pz.rules import Rules
from catan_pz.web.replay import Replay, make_replay


class Show(NamedTuple):
    """A game that is watched."""

    frames: Iterator[Frame]
    viewer: int | None
    names: list[str] | None
    annotations: Annotations
    record: GameRecord
    total: int | None = None  # how many frames there are, None for a live match
    session: PlayedGame | None = None  # the live match

    def close(self) -> None:
        """Let all agents go."""
        self.annotations.close()
        if self.session is not None:
            self.session.close()


def _annotations(asked: WatchChoice, rules: Rules, *, draw: bool) -> Annotations:
    """Advice and win probabilities by the agents asked for."""
    check_seat("--viewer", asked.viewer, rules.num_players)
    adviser, estimator = (
        None if spec is None else load_agent(spec, rules)
        for spec in (asked.advice, asked.win_probability)
    )
    if estimator is not None and type(estimator).win_probabilities is Agent.win_probabilities:
        raise click.UsageError(
            f"--win-probability {asked.win_probability}: this agent estimates no win "
            "probabilities; 'search' does"
        )
    return Annotations(adviser, estimator, asked.viewer, draw=draw)


def recorded_show(recording: Path, asked: WatchChoice, *, draw: bool = False) -> Show:
    """A recorded game; `draw` says whether advice is drawn into the pictures."""
    record = load_record(recording)
    rules = Rules.from_dict(record.start["rules"])
    names = record.names
    if asked.names is not None:
        names = [name.strip() for name in asked.names.split(",")]
        if len(names) != rules.num_players:
            raise click.UsageError(
                f"--names {asked.names!r}: this game has {rules.num_players} seats"
            )
    annotate = _annotations(asked, rules, draw=draw)
    with usage_errors("--reasons "):
        reasons = reasons_of(record, asked.reasons, asked.viewer)
    with compiling_shown(), record_errors(recording):
        for _ in record.replay():
            pass
        frames = frames_of_record(record, asked.viewer, names, annotate, reasons)
        frames = chain([*islice(frames, 2)], frames)  # agents have decided once, if they are asked
    return Show(frames, asked.viewer, names, annotate, record, len(record.decisions) + 1)


def live_show(
    agents: str, asked: WatchChoice, seed: int | None, options: RuleChoice, *, draw: bool
) -> Show:
    """A match between agents, separated by commas, that is played while it is watched."""
    rules = options.make(",".join(filter(None, (agents, asked.advice, asked.win_probability))))
    specs = specs_by_seat("--agents", agents, rules.num_players, "seats")
    players = [load_agent(spec, rules) for spec in specs]
    annotate = _annotations(asked, rules, draw=draw)
    with compiling_shown():
        get_ready(rules, players)
    seed = drawn_seed() if seed is None else seed
    session = PlayedGame(Game(rules, seed), players, seed, viewer=asked.viewer, specs=specs)
    frames = frames_of_match(session, annotate)
    return Show(frames, asked.viewer, session.names, annotate, session.record, session=session)


def write_pictures(
    show: Show,
    target: Path,
    at: int | None,
    every: str | None,
    width: int,
    seconds: float,
    ids: str | None,
) -> None:
    """Write a picture or a film of a game; options are those of `watch`."""
    form = target.suffix.lower()
    if form not in PICTURES + FILMS:
        allowed = ", ".join(PICTURES + FILMS)
        raise click.UsageError(f"--export {target}: the file must end in one of {allowed}")
    if form in FILMS:
        need("render", "a film", "resvg_py", "PIL")
    frames = list(_gathered(show.frames))
    if form in PICTURES:
        at = len(frames) - 1 if at is None else at
        if at >= len(frames):
            raise click.UsageError(f"--at {at}: the game has the pictures 0 to {len(frames) - 1}")
        save_picture(_picture(show, frames[at], width, ids), target)
        click.echo(f"{target} shows the game after {at} decisions.")
        return
    if (every or ("turn" if form == ".gif" else "decision")) == "turn":
        last = {frame.state["turn"]: frame for frame in frames}
        frames = list(last.values())
    tracked_frames = tracked(frames, "pictures", len(frames))
    pictures = (_picture(show, frame, width, ids) for frame in tracked_frames)
    count = save_film(pictures, target, width=width, seconds=seconds)
    click.echo(f"{target} has {count} pictures.")


def write_replay(show: Show, target: Path) -> None:
    """Write a game as one HTML file that opens in any browser, with its review."""
    replay = replay_of(show, reviewed=True)
    replay.save(target)
    size = len(replay.html.encode()) / 1000
    click.echo(f"{target} shows {replay.num_frames - 1} decisions ({size:.0f} kB).")


def replay_of(show: Show, *, reviewed: bool = False) -> Replay:
    """A game as a page for the browser, played to its end.

    A review is added only if everything is shown and no agent is asked.
    """
    frames = [*_gathered(show.frames)]
    is_plain = show.viewer is None and not show.annotations.asks
    review = review_record(show.record) if reviewed and is_plain else None
    return make_replay(
        frames, viewer=show.viewer, names=show.names, record=show.record, review=review
    )


def _gathered(frames: Iterable[Frame]) -> Iterator[Frame]:
    """All frames, with a spinner on the terminal while a match is played for them."""
    with Console(stderr=True).status("Playing ...") as status:
        for count, frame in enumerate(frames):
            if count % 50 == 0:
                status.update(f"Playing ... {count} decisions")
            yield frame


def _picture(show: Show, frame: Frame, width: float, ids: str | None = None) -> str:
    if ids is not None:
        ids = "" if ids == "none" else ids
        return figure_svg(frame.state, width=width, ids=ids, overlay=frame.notes.overlay)
    return board_svg(
        frame.state,
        viewer=show.viewer,
        width=width,
        last_action=frame.line,
        names=show.names,
        overlay=frame.notes.overlay,
    )
