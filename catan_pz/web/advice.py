"""An agent's advice on pages: numbers on the board, and a table of the best actions."""

from typing import Any, Final

from catan_pz.actions import describe_action
from catan_pz.agents.advice import Advice
from catan_pz.names import shown
from catan_pz.play.annotations import overlay_of
from catan_pz.render.overlay import draw_overlay
from catan_pz.render.view import TableView
from catan_pz.render.words import decision_words

MOST_LISTED: Final = 8
"""Actions in the table, the best ones."""

_PLACES: Final = ("vertex", "edge", "hex")


def drawn_advice(advice: Advice) -> str:
    """The numbers of an agent's advice as SVG."""
    return draw_overlay(overlay_of(advice))


def advice_json(advice: Advice, view: TableView, played: int | None = None) -> dict[str, Any]:
    """The advice as a table: the agent's name, the column headings, and the rows.

    A row has the action in words, its place on the board such as "vertex 12" (None for none), the
    length of its bar from 0 to 1, whether it was played, and a text for each column.

    Args:
        advice: the advice.
        view: the table at the decision.
        played: the action that was played, if known.
    """
    columns = [
        (title, [form(value) for value in values])
        for title, form, values in (
            ("Probability", _percent, advice.probabilities),
            ("Win prob.", _percent, advice.win_probabilities),
            ("Visits", "{:,}".format, advice.visits),
            ("Score", "{:.3g}".format, advice.scores),
        )
        if values is not None
    ]
    bars = advice.probabilities if advice.probabilities is not None else advice.win_probabilities
    rows = []
    for k, action in enumerate(advice.actions.tolist()):
        if k >= MOST_LISTED and action != played:
            continue
        bar = 0.0 if bars is None else round(float(bars[k]), 3)
        texts = [texts[k] for _, texts in columns]
        rows.append([decision_words(action, view), _place(action), bar, action == played, texts])
    return {
        "agent": shown(advice.agent),
        "columns": [title for title, _ in columns],
        "rows": rows,
        "more": max(0, len(advice) - len(rows)),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _place(action: int) -> str | None:
    described = describe_action(action)
    return next((f"{name} {described[name]}" for name in _PLACES if name in described), None)
