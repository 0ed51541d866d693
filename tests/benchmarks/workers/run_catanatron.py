"""Random games of catanatron, for `tests.benchmarks.others`: core."""

from importlib.metadata import version

from protocol import Work, pin, serve

pin()

from catanatron.game import TURNS_LIMIT, Game  # noqa: E402
from catanatron.models.player import Color, RandomPlayer  # noqa: E402


def single_game() -> Work:
    """Whole games, one after the other; drawing is a small part, not timed by itself."""

    def work() -> tuple[int, int, float]:
        game = Game([RandomPlayer(color) for color in Color])
        decisions = 0
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
            decisions += 1
        return decisions, 1, 0.0

    return work


if __name__ == "__main__":
    serve(version("catanatron"), {"one game at a time": single_game()})
