"""Sphinx builds the documentation from these pages: make docs."""

import catan_pz

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
autodoc_mock_imports = ["sb3_contrib", "stable_baselines3", "torch", "tyro"]
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "catan-pz"
html_extra_path = ["static"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#a03c1e", "color-brand-content": "#a03c1e"},
    "dark_css_variables": {"color-brand-primary": "#e58a5a", "color-brand-content": "#e58a5a"},
}
