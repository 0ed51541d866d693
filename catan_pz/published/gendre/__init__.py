"""The player of Gendre and Kaneko: a cross-dimensional network over 324 choices."""
