"""The player of Gendre and Kaneko: a cross-dimensional network with 324 choices."""
