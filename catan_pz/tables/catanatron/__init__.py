"""catanatron: our agents as players of its games, its bots as agents of the arena.

catanatron is a program of others, which the user installs; only the modules `bots`, `search`,
`position`, `players` and `table` import it. Letters as everywhere: P players, R resources.
"""
