"""Draws the pictures of the documentation: python -m tests.render.draw_examples."""

from pathlib import Path

from catan_pz.board.topology import VERTEX_HEXES
from catan_pz.game.game import Game
from catan_pz.play.controls import controls
from catan_pz.play.desk import desk_svg
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg
from catan_pz.render.view import table_view
from catan_pz.terms import PIPS
from tests.play.presses import composed
from tests.render import positions

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ROLLED = "Player 1 rolls 3 + 5: 3 wool for Player 0, 1 lumber for Player 2"
NAMES = ["heuristic", "Ann", "search", "weighted"]


def pips(state: positions.State) -> Overlay:
    """At each vertex the cards that a settlement there gets in 36 throws."""
    tokens = [h["token"] or 0 for h in state["board"]["hexes"]]
    return Overlay(
        vertices={
            v: sum(PIPS[tokens[h]] for h in hexes if h >= 0)
            for v, hexes in enumerate(VERTEX_HEXES.tolist())
        }
    )


def at_the_desk() -> Game:
    """Player 1's turn, with something to build, to play and to trade."""
    state = positions.midgame()
    players = state["players"]
    players[1]["hand"] = positions.bundle(brick=1, lumber=4, wool=1, grain=2)
    state["bank"] |= {"brick": 15, "lumber": 14, "wool": 13}
    state["knowledge"] = [positions.knowledge(players, seat) for seat in range(4)]
    throws = [[a, b] for a in range(1, 7) for b in range(1, 7)]
    state["rng"] = {"state": 1, "dice_left": throws, "script_place": 0}
    return Game.from_snapshot(state)


def desk() -> str:
    """What player 1 sees, three lumber laid out for an ore."""
    game, draft = at_the_desk(), composed([1, 1], [4])
    view = table_view(game.snapshot(), 1, NAMES)
    there = controls(game, 1, view, draft)
    return desk_svg(
        game.snapshot(),
        1,
        there,
        draft,
        width=1120,
        last_action="Ann rolls 3 + 5: 3 wool for heuristic, 1 lumber for search",
        names=NAMES,
    )


def pictures() -> dict[str, str]:
    opening = Game(seed=1, board="beginner").snapshot()
    return {
        "board.svg": board_svg(positions.midgame(), last_action=ROLLED),
        "overlay.svg": board_svg(opening, overlay=pips(opening)),
        "desk.svg": desk(),
    }


def main() -> None:
    import resvg_py

    drawn = pictures()
    for name, svg in drawn.items():
        (IMAGES / name).write_text(svg, encoding="utf-8", newline="\n")
    for name in ("board", "desk"):
        png = resvg_py.svg_to_bytes(svg_string=drawn[f"{name}.svg"], skip_system_fonts=True)
        (IMAGES / f"{name}.png").write_bytes(bytes(png))


if __name__ == "__main__":
    main()
