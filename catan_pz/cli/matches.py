"""`catan-pz evaluate` and `catan-pz tournament`: agents against each other."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catan_pz.cli.agents import (
    agent_option,
    agent_source,
    encoder_option,
    load_agent,
    specs_by_seat,
    trust_option,
)
from catan_pz.cli.console import (
    FILE,
    FOLDER,
    check_plot,
    command,
    load_record,
    need,
    option,
    record_errors,
    usage_errors,
    win_rate_words,
)
from catan_pz.cli.options import MatchChoice, RuleChoice, game_options, match_options
from catan_pz.names import shown

if TYPE_CHECKING:
    from catan_pz.arena.results import Result


@command(
    "catan-pz evaluate heuristic",
    "catan-pz evaluate runs/train/model.npz --games 1000",
    "catan-pz evaluate heuristic --against weighted --rules one_v_one",
)
@click.argument("agent")
@agent_option(
    "--against",
    "Agents of the other seats, separated by commas; the last one takes all remaining seats.",
    "random",
)
@match_options(400)
@option(
    "--sprt",
    "Stop as soon as a sequential test decides between these Elo differences, such as 0,20.",
    metavar="LOW,HIGH",
)
@option(
    "--hub-card",
    "Write the model with these results, as a folder to upload to Hugging Face's hub.",
    FOLDER,
)
@game_options
def evaluate(
    agent: str,
    against: str,
    match: MatchChoice,
    sprt: str | None,
    hub_card: Path | None,
    rules: RuleChoice,
) -> None:
    """Measure the win rate of AGENT, a name or a saved model, with its 95 % interval."""
    from catan_pz.agents import hub
    from catan_pz.agents.network import Model
    from catan_pz.arena import play_match
    from catan_pz.arena.sequential import SequentialMatch

    made = rules.make(f"{agent},{against}")
    others = specs_by_seat("--against", against, made.num_players - 1)
    # A player that meets itself needs a distinct name.
    name = f"{agent} (evaluated)" if agent in others else agent
    sources = {spec: agent_source(spec, made) for spec in {agent, *others}}
    model = getattr(sources[agent], "model", None)
    if hub_card and not isinstance(model, Model):
        raise click.UsageError(f"--hub-card: {shown(agent)} is no model file")
    entrants = [(name, sources[agent]), *((spec, sources[spec]) for spec in others)]
    with usage_errors():
        test = None if sprt is None else SequentialMatch.of_words(name, sprt)
    result = played(play_match, entrants, rules=made, stop=test, **match.keywords())
    click.echo(
        f"{win_rate_words(result, name, agent)} against {shown(against)}, from seed {result.seed}"
    )
    if test is not None:
        click.echo(str(test))
    tell_more(result)
    write_page(result, match)
    check_played(result)
    if hub_card and model:
        tally, interval = result.tally(name), result.interval(name)
        row = {"against": against, "games": tally.seats, "win_rate": result.win_rate(name)}
        hub.write_folder(
            hub_card, hub_card.name, model, [row | {"interval": interval, "seed": result.seed}]
        )
        click.echo(f"{hub_card} is a repository to upload: hf upload OWNER/{hub_card.name} .")


@command(
    "catan-pz tournament random heuristic --games 200",
    "catan-pz tournament weighted,heuristic --workers 2 --results games.jsonl",
    "catan-pz tournament heuristic ppo-4p-notrade --html replays",
    "catan-pz tournament weighted heuristic --executor ray --address auto",
    "catan-pz tournament random runs/train/model.npz --report table.md",
    "catan-pz tournament heuristic 'exec:\"node bot.js\"' --seconds 2",
)
@click.argument("agents", nargs=-1, required=True)
@match_options(200, "Minimum number of games of each line-up.")
@option(
    "--seconds", "Longest decision; more forfeits the game.", click.FloatRange(0, min_open=True)
)
@option(
    "--true-state",
    "Show this agent hidden cards too, if it uses them; may be repeated.",
    metavar="AGENT",
    multiple=True,
)
@option("--report", "Write the tables to a .md or .csv, or a plot to a .svg or .png.", FILE)
@game_options
def tournament(
    agents: tuple[str, ...],
    match: MatchChoice,
    seconds: float | None,
    true_state: tuple[str, ...],
    report: Path | None,
    rules: RuleChoice,
) -> None:
    """Let AGENTS, two or more names separated by spaces or commas, play each other.

    Each seed is played in all seatings, on the same board and with the same dice. Win rates
    come with 95 % intervals.
    """
    from catan_pz.agents.registry import split_specs
    from catan_pz.arena import play_tournament, save_report, to_markdown
    from catan_pz.arena.report import TABLES

    need("arena", "a tournament", "scipy")
    check_plot("--report", report, TABLES)
    named = ",".join(agents)
    made = rules.make(named)
    result = played(
        play_tournament,
        [(spec, agent_source(spec, made)) for spec in split_specs(named)],
        rules=made,
        seconds_per_decision=seconds,
        true_state=true_state,
        **match.keywords(),
    )
    click.echo(to_markdown(result))
    write_page(result, match)
    if report is not None:
        save_report(result, report)
        click.echo(f"The report is in {report}.", err=True)


@command("catan-pz positions value", "catan-pz positions runs/train/model.npz --count 50")
@click.argument("agent")
@option("--count", "Of the 200 positions, evenly spread.", click.IntRange(2, 200), default=200)
@option(
    "--trading/--no-trading", "Trade between players.  [yes, or as the model says]", default=None
)
@trust_option
@encoder_option
def positions(agent: str, count: int, trading: bool | None) -> None:
    """Measure how much win probability AGENT's choices lose in a fixed set of positions.

    The games are of four players; each legal action has a value by long simulation. Tells the mean
    regret with its 95 % interval.
    """
    from dataclasses import asdict

    from catan_pz.arena import positions as arena
    from catan_pz.arena.report import report_line
    from catan_pz.arena.schedule import spread
    from catan_pz.progress import tracked

    rules = RuleChoice("base", 4, trading).make(agent)
    found, player = arena.positions(trading=rules.trading), load_agent(agent, rules)
    chosen = [found[k] for k in spread(range(len(found)), count)]
    losses = [*tracked(arena.regrets(player, chosen), "positions", count)]
    mean, (low, high), best = arena.Regret.of(losses)
    click.echo(
        f"{shown(agent)} loses {100 * mean:.2f} points of win probability a decision "
        f"(95 %: {100 * low:.2f} to {100 * high:.2f}); it plays the best action in "
        f"{100 * best:.0f} % of {count} positions"
    )
    if hasattr(player, "usage"):  # a chat model's
        click.echo(report_line(player.name, asdict(player.usage)))


def played(play: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call `play`; if the match is interrupted, report what is saved."""
    from catan_pz.arena import Interrupted
    from catan_pz.arena.forfeits import ForfeitWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForfeitWarning)  # commands print them themselves
            return play(*arguments, **options)
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        raise


def tell_more(result: "Result") -> None:
    """Print the agents' reports, and the number and reasons of forfeits."""
    from catan_pz.arena.report import forfeit_lines, report_lines

    for line in [*report_lines(result), *forfeit_lines(result)]:
        click.echo(line)


def check_played(result: "Result") -> None:
    """Raise an error if every game was forfeited."""
    if result.games and result.ends()["forfeit"] == len(result.games):
        raise click.ClickException("every game was forfeited: this win rate measures nothing")


def write_replays(folder: Path, records: Mapping[str, Path]) -> dict[str, str]:
    """Write recorded games as HTML files in a folder; returns a description by file name.

    `records` are files by the names of their replays; missing files are left out.
    """
    from catan_pz.names import seat_names
    from catan_pz.progress import tracked
    from catan_pz.web.replay import replay_of_record

    found = {name: path for name, path in records.items() if path.exists()}
    listed = {}
    for name, path in tracked(found.items(), "replays", len(found)):
        record = load_record(path)
        with record_errors(path):
            replay = replay_of_record(record)
        replay.save(folder / f"{name}.html")
        winner, turns = record.result["winner"], record.result["turns"]
        seats = seat_names(record.names, len(record.start["players"]))
        won = "nobody won" if winner is None else f"{seats[winner]} won"
        listed[f"{name}.html"] = f"{name}: {', '.join(seats)}; {won} in {turns} turns"
    return listed


def write_page(result: "Result", match: MatchChoice) -> None:
    """Write the page of a match, with replays of recorded games, and print where it is."""
    from catan_pz.arena import to_markdown
    from catan_pz.arena.ratings import ratings_of
    from catan_pz.arena.records import record_path
    from catan_pz.arena.schedule import spread
    from catan_pz.files import write_bytes
    from catan_pz.web.results_page import results_page

    if match.html is None:
        return
    match.html.mkdir(parents=True, exist_ok=True)
    drawn = [result.games[k] for k in spread(range(len(result.games)), match.most_html)]
    paths = [record_path(match.records or match.html, game.number) for game in drawn]
    listed = write_replays(match.html, {path.stem: path for path in paths})
    report = to_markdown(result)
    words = f"{len(result.games):,} games from seed {result.seed}."
    page = results_page("Games", words, result, ratings_of(result), listed, report)
    write_bytes(match.html / "index.html", page.encode())
    lacking = f"; {len(drawn) - len(listed)} have no record" if len(listed) < len(drawn) else ""
    click.echo(f"{match.html} has the replays of {len(listed)} games{lacking}.", err=True)
