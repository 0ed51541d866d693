"""Rounds of a ladder at JSettlers tables."""

from dataclasses import replace
from pathlib import Path

from catan_pz.arena.entrants import AgentSpec
from catan_pz.arena.ladder import TABLE_GAMES
from catan_pz.arena.report import changed_options
from catan_pz.arena.results import Result
from catan_pz.rules import Rules
from catan_pz.tables.jsettlers.client import ServerError
from catan_pz.tables.jsettlers.decisions import table_rules
from catan_pz.tables.jsettlers.match import play_match
from catan_pz.tables.jsettlers.server import class_path


def check_rounds(rules: Rules) -> None:
    """Refuse rules that the server doesn't support, and a missing server."""
    there = table_rules(rules.num_players, rules.trading, rules.max_offers_per_turn)
    free = {name: getattr(there, name) for name in ("offer_form", "first_player", "max_turns")}
    if replace(rules, **free) != there:
        raise ValueError(
            f"with robots of JSettlers only num_players, trading and max_offers_per_turn may "
            f"differ from the default rules, got {changed_options(rules).replace('`', '')}"
        )
    class_path(None)


def play_round(
    rules: Rules, workers: int | None, agent: AgentSpec, robots: str, results: Path
) -> Result:
    """Play a round of an agent against robots; called through `arena.ladder.ROBOTS`."""
    match = play_match(
        agent,
        robots.partition(":")[2],
        rules.num_players,
        rules.trading,
        TABLE_GAMES,
        max_offers=rules.max_offers_per_turn,
        workers=workers or 1,
        results=results,
    )
    if match.gave_up:
        raise ServerError(match.gave_up)
    return match.result
