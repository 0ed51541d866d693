"""Pictures and text of a game, drawn from its JSON state."""

from catan_pz.render.ansi import board_text
from catan_pz.render.figure import figure_svg
from catan_pz.render.image import svg_to_rgb
from catan_pz.render.log import log_line
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg

__all__ = ["Overlay", "board_svg", "board_text", "figure_svg", "log_line", "svg_to_rgb"]
