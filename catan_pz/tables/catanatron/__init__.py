"""catanatron: our agents as players of its games, its bots as agents of the arena.

Users install catanatron themselves; only the modules `bots`, `search`, `position`, `players` and
`table` import it. In shapes P stands for players, R for resources, C for kinds of cards.
"""
