"""catanatron: our agents as players of its games, its bots as agents of the arena.

Users install catanatron themselves; only the modules `bots`, `search`, `position`, `players` and
`table` import it. Letters of shapes: P players, R resources, C kinds of development cards.
"""
