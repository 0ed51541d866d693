"""One game: playing it, views of it, following it from outside, and its JSON form."""

from catan_pz.game.followed import ContradictionError, FollowedGame
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.game.state_json import state_from_dict, state_to_dict
from catan_pz.game.view import View

__all__ = [
    "ContradictionError",
    "FollowedGame",
    "Game",
    "GameRecord",
    "IllegalActionError",
    "View",
    "position",
    "state_from_dict",
    "state_to_dict",
]
