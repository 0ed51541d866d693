"""Write the golden playthroughs anew: `python -m tests.golden`; then review the diff."""

from tests.golden.playthrough import GAMES, path_of, playthrough

for name in GAMES:
    path_of(name).write_text(playthrough(name), encoding="utf-8")
    print(path_of(name))
