"""Sphinx builds the documentation from these pages: make docs."""

from pathlib import Path

from sphinx.application import Sphinx

import catan_pz
from catan_pz.agents import load
from catan_pz.game.game import Game
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import frames_of_match
from catan_pz.play.session import PlayedGame
from catan_pz.web.replay import make_replay

project = "catan-pz"
project_copyright = "the authors of catan-pz"
version = release = catan_pz.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["images"]
# Docstrings put names of code between single backquotes.
default_role = "literal"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
# The API of trainings is documented without their libraries, which take gigabytes.
autodoc_mock_imports = [
    "ray",
    "sb3_contrib",
    "stable_baselines3",
    "tensordict",
    "torch",
    "torchrl",
    "tyro",
]
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "catan-pz"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#a03c1e", "color-brand-content": "#a03c1e"},
    "dark_css_variables": {"color-brand-primary": "#e58a5a", "color-brand-content": "#e58a5a"},
}


def setup(app: Sphinx) -> None:
    """Let a game be played for the pages that show a replay."""
    app.connect("build-finished", _write_replay)


def _write_replay(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        session = PlayedGame(Game(seed=3), [load("heuristic")] * 4, seed=3)
        notes = Annotations(win_probability=load("search", simulations=60))
        replay = make_replay(frames_of_match(session, notes), names=session.names)
        replay.save(Path(app.outdir) / "replay.html")
