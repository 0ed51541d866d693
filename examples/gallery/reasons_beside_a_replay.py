"""Reasons beside the decisions of a replay: what `search` makes of each decision of a seat.

    catan-pz evaluate search --against heuristic --games 1 --records games
    python examples/gallery/reasons_beside_a_replay.py games/game-000000.jsonl 0 reasons.jsonl
    catan-pz export games/game-000000.jsonl --html replay.html --reasons reasons.jsonl

The lines have the form of a chat model's transcript, so that anything that has reasons can write
them: a model, a person who annotates, a search.
"""

import json
import sys
from pathlib import Path

from catan_pz.agents import load
from catan_pz.agents.table import Table
from catan_pz.game import GameRecord
from catan_pz.game.game import Game
from catan_pz.text import choices_of


def main(recording: str, seat: int, target: str, agent: str = "search:simulations=400") -> None:
    """Write an agent's assessment of its decisions, given its seat's view."""
    record = GameRecord.load(recording)
    game = Game.from_snapshot(record.start)
    seats = [None] * len(record.start["players"])
    rows = []
    with Table(game, seats, [0] * len(seats)) as table:
        table.seat(seat, load(agent), seed=0)
        asked = table.agents[seat]
        for number, decision in enumerate(record.decisions):
            if decision.player == seat and game.mask.sum() > 1:
                view = table.view(seat)
                words = {choice.action: choice.words for choice in choices_of(view)}
                reason = reason_for(decision.action, asked.advise(view), words)
                row = {"decision": number, "seat": seat, "action": decision.action}
                rows.append(json.dumps(row | {"reason": reason}) + "\n")
            game.step(decision.action, decision.outcome)
    Path(target).write_text("".join(rows), encoding="utf-8")


def reason_for(action, advice, words):
    """A sentence about the action played, if the agent has an estimate of it."""
    estimates = [] if advice.win_probabilities is None else advice.win_probabilities.tolist()
    chances = dict(zip(advice.actions.tolist(), estimates, strict=False))
    if action not in chances:
        return ""
    reason = f"I win {100 * chances[action]:.0f} % from here"
    if others := [one for one in chances if one != action]:
        next_best = max(others, key=chances.get)
        reason += f"; {100 * chances[next_best]:.0f} % if I {words[next_best]}"
    return reason + "."


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
