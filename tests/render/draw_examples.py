"""Draws the pictures of the documentation: python -m tests.render.draw_examples."""

from pathlib import Path

from catan_pz.board.topology import VERTEX_HEXES
from catan_pz.game.game import Game
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg
from catan_pz.terms import PIPS
from tests.render import positions

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ROLLED = "Player 1 rolls 3 + 5: 3 wool for Player 0, 1 lumber for Player 2"


def pips(state: positions.State) -> Overlay:
    """At each vertex the cards that a settlement there gets in 36 throws."""
    tokens = [h["token"] or 0 for h in state["board"]["hexes"]]
    return Overlay(
        vertices={
            v: sum(PIPS[tokens[h]] for h in hexes if h >= 0)
            for v, hexes in enumerate(VERTEX_HEXES.tolist())
        }
    )


def pictures() -> dict[str, str]:
    opening = Game(seed=1, board="beginner").snapshot()
    return {
        "board.svg": board_svg(positions.midgame(), last_action=ROLLED),
        "overlay.svg": board_svg(opening, overlay=pips(opening)),
    }


def main() -> None:
    import resvg_py

    drawn = pictures()
    for name, svg in drawn.items():
        (IMAGES / name).write_text(svg, encoding="utf-8", newline="\n")
    png = resvg_py.svg_to_bytes(svg_string=drawn["board.svg"], skip_system_fonts=True)
    (IMAGES / "board.png").write_bytes(bytes(png))


if __name__ == "__main__":
    main()
