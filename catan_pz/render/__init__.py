"""Pictures and text of a game, drawn from its JSON state alone."""

from catan_pz.render.ansi import board_text
from catan_pz.render.image import svg_to_rgb
from catan_pz.render.overlay import Overlay
from catan_pz.render.story import tell
from catan_pz.render.svg import board_svg

__all__ = ["Overlay", "board_svg", "board_text", "svg_to_rgb", "tell"]
