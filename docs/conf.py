"""Sphinx builds the documentation from these pages: make docs."""

import os
from pathlib import Path
from shutil import copytree

from sphinx.application import Sphinx

from catan_pz.agents import load
from catan_pz.game.game import Game
from catan_pz.play.annotations import Annotations
from catan_pz.play.frames import frames_of_match
from catan_pz.play.session import PlayedGame
from catan_pz.web.replay import make_replay

project = "catan-pz"
project_copyright = "the authors of catan-pz"
# The publishing job sets both: where all versions lie, and the folder of this one.
html_baseurl = os.environ.get("DOCS_URL", "https://catan-pz.github.io/catan-pz")
version = release = os.environ.get("DOCS_VERSION", "dev")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["images"]
copybutton_prompt_text = "$ "
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
python_maximum_signature_line_length = 80
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = "catan-pz"
html_static_path = ["_static"]
html_logo = html_favicon = "_static/logo.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "catan-pz"},
    "github_url": "https://github.com/catan-pz/catan-pz",
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "switcher": {"json_url": f"{html_baseurl}/versions.json", "version_match": version},
    # The list lies beside the pages, and isn't there yet when they are built.
    "check_switcher": False,
    "show_version_warning_banner": True,
    "search_as_you_type": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Sphinx) -> None:
    """Let a game be played for the pages that show a replay, and copy the page of the ladder."""
    app.connect("build-finished", _write_replay)


def _write_replay(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        session = PlayedGame(Game(seed=3), [load("heuristic")] * 4, seed=3)
        notes = Annotations(win_probability=load("search", simulations=60))
        frames = frames_of_match(session, notes)
        replay = make_replay(frames, names=session.names, record=session.record)
        replay.save(Path(app.outdir) / "replay.html")
        copytree(Path(__file__).parent / "ladder", Path(app.outdir) / "ladder", dirs_exist_ok=True)
