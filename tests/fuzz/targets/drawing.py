"""Pictures and texts of changed states, with odd names, widths, viewers and overlays."""

from random import Random
from xml.etree.ElementTree import fromstring

from catan_pz import Game
from catan_pz.render.ansi import board_text
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg
from catan_pz.render.view import table_view
from tests.fuzz.odd import chosen_options, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import drawn_game, drawn_state


def states(rng: Random, tally: Tally) -> None:
    """SVG and text of a state that is possible; what lacks entries is refused."""
    state = drawn_state(rng)
    tally.attempt(table_view, state)
    accepted, game = tally.attempt(Game.from_snapshot, state)
    if accepted:
        viewer = rng.choice((None, *range(game.rules.num_players)))
        fromstring(board_svg(game.snapshot(), viewer=viewer))
        require(bool(board_text(game.snapshot(), viewer=viewer)), "no text")


def options(rng: Random, tally: Tally) -> None:
    """Odd names, widths and viewers."""
    game = drawn_game(rng)
    state = game.snapshot()
    usual = {"viewer": (None, 0, 3), "names": (None, ["a", "b"], ["<&>", "b", "c", "d"])}
    accepted, picture = tally.attempt(
        board_svg, state, **chosen_options(rng, usual | {"width": (1, 840.5)})
    )
    if accepted:
        fromstring(picture)
    tally.attempt(board_text, state, **chosen_options(rng, usual))
    tally.attempt(Overlay.of_policy, odd_or(rng, game.mask, game.mask * 0.5))
    accepted, overlay = tally.attempt(
        Overlay,
        vertices=odd_or(rng, {}, {0: 0.5}),
        others=odd_or(rng, (), (("a", 0.5),), share=0.1),
    )
    if accepted:
        accepted, picture = tally.attempt(board_svg, state, overlay=overlay)
        if accepted:
            fromstring(picture)
    Game.from_snapshot(state)


TARGETS = {"drawn_states": states, "drawing_options": options}
