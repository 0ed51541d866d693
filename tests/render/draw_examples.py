"""Draws the pictures of the documentation: python -m tests.render.draw_examples."""

from pathlib import Path

from catan_pz.render.svg import board_svg
from tests.render import positions

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def pictures() -> dict[str, str]:
    """File names and the pictures that belong in them."""
    rolled = "Player 1 rolled 3 + 5: wool for Player 0, lumber for Player 2"
    return {
        "board.svg": board_svg(positions.midgame(), last_action=rolled),
        "offer.svg": board_svg(
            positions.with_offer(), viewer=0, last_action="Player 3 rejects the offer"
        ),
    }


def main() -> None:
    """Write each picture as SVG, and the first as PNG too, for pages that show no SVG."""
    import resvg_py

    drawn = pictures()
    for name, svg in drawn.items():
        (IMAGES / name).write_text(svg, encoding="utf-8", newline="\n")
    png = resvg_py.svg_to_bytes(svg_string=drawn["board.svg"], skip_system_fonts=True)
    (IMAGES / "board.png").write_bytes(bytes(png))


if __name__ == "__main__":
    main()
