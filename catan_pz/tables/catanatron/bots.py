"""catanatron's bots as agents."""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from catan_pz.actions import MOVE_ROBBER, NUM_ACTIONS_WITHOUT_TRADE, REJECT, WITHDRAW
from catan_pz.agents.base import Agent
from catan_pz.checks import not_possible
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.tables.catanatron import installed
from catan_pz.tables.catanatron.moves import COLORS, Actions, Move, actions_of
from catan_pz.tables.catanatron.position import game_of
from catan_pz.terms import Phase


@dataclass(frozen=True)
class Bot:
    """A kind of bot."""

    home: str  # module and class in catanatron
    number: str = ""  # argument of the class for a number after the name
    default: int = 0
    flags: tuple[str, ...] = ()  # allowed words after it


BOTS: Final = {
    "random": Bot("models.player:RandomPlayer"),
    "weighted": Bot("players.weighted_random:WeightedRandomPlayer"),
    "points": Bot("players.search:VictoryPointPlayer"),
    "value": Bot("players.value:ValueFunctionPlayer", flags=("contender",)),
    "ab": Bot("players.minimax:AlphaBetaPlayer", "depth", 2, ("pruned", "contender", "mended")),
    "sab": Bot("players.minimax:SameTurnAlphaBetaPlayer", "depth", 2, ("pruned", "contender")),
    "mcts": Bot("players.mcts:MCTSPlayer", "num_simulations", 10, ("pruned",)),
}
"""Bots by name."""


@dataclass(frozen=True)
class BotSpec:
    """A bot and its options, parsed from a name such as "ab2-pruned-mended"."""

    name: str
    number: int  # depth or simulations, 0 for none
    flags: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> "BotSpec":
        """Parse the name of a bot."""
        found = re.fullmatch(r"([a-z]+)((?:[1-9]\d{0,8})?)((?:-[a-z]+)*)", text, re.ASCII)
        name = found[1] if found else ""
        if found is None or name not in BOTS or (found[2] and not BOTS[name].number):
            allowed = ", ".join(f"{one}{bot.default or ''}" for one, bot in BOTS.items())
            raise not_possible("bot of catanatron", text, f"one of {allowed}", BOTS)
        flags = tuple(filter(None, found[3].split("-")))
        for flag in flags:
            if flag not in BOTS[name].flags:
                allowed = ", ".join(BOTS[name].flags) or "none"
                raise ValueError(f"bot {name!r} has no option {flag!r}; its options: {allowed}")
        return cls(name, int(found[2] or BOTS[name].default), flags)

    def player(self, color: Any) -> Any:
        """The bot as a catanatron player."""
        bot, release = BOTS[self.name], f"catanatron {installed.version()}"
        place, class_name = bot.home.split(":")
        if not installed.has_module(place):
            raise ImportError(
                f"{release} has no bot {self.name!r}: install 3.3.0 with {installed.INSTALL}"
            )
        if installed.has_module("params"):  # as after 3.3.0
            raise ImportError(
                f"{release} constructs its bots in an unknown way; 3.2.1 and 3.3.0 work: "
                f"{installed.INSTALL_SOME}, or {installed.INSTALL}"
            )
        made = getattr(installed.module(place), class_name)
        if "mended" in self.flags:
            from catan_pz.tables.catanatron.search import mended_player

            made = mended_player()
        options: dict[str, Any] = {bot.number: self.number} if bot.number else {}
        if "pruned" in bot.flags:
            options["prunning"] = "pruned" in self.flags
        if "contender" in self.flags:
            options["value_fn_builder_name"] = "C"
            options["params"] = installed.module("players.value").CONTENDER_WEIGHTS
        return made(color, **options)


@contextmanager
def own_random(seed: int) -> Iterator[None]:
    """Temporarily seed Python's global random generator, which catanatron draws from."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


class CatanatronAgent(Agent):
    """A bot of catanatron.

    Its bots read the full state of a game. This agent shows them a game sampled from its seat's
    information, a new one at each decision; a host may give it the true one instead, as
    `true_state` of `arena.play_match` says. The bots don't trade with players: they make no offers
    and reject all. A bot is named as "value" or "ab2-pruned"; see `BOTS`.
    """

    needs_belief = True

    def __init__(self, bot: str) -> None:
        self._spec = BotSpec.read(bot)
        self.player(installed.module("models.player").Color.RED)
        self.bot = bot
        self.name = f"catanatron:{bot}"
        self.catanatron = installed.version()

    def player(self, color: Any) -> Any:
        """The bot as a catanatron player."""
        return self._spec.player(color)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a game."""
        super().reset(seat, rules, seed)
        players = installed.module("models.player")
        colors = [players.Color[name] for name in COLORS[: rules.num_players]]
        self._players = [players.Player(color) for color in colors]
        self._players[seat] = self.player(colors[seat])
        self._intended: Actions = ()

    def act(self, view: View) -> int:
        """Choose an action."""
        intended, self._intended = self._intended, ()
        if intended and view.mask[intended[0]]:
            return intended[0]
        legal = np.flatnonzero(view.mask)
        if len(legal) == 1:
            return int(legal[0])
        if legal[0] >= NUM_ACTIONS_WITHOUT_TRADE:
            return REJECT if view.mask[REJECT] else WITHDRAW
        game = view.resample(np.random.default_rng(self.random.next()))
        if game.phase == Phase.STEAL:
            # A bot chooses hex and victim together, but this game starts between the two.
            return int(legal[self.random.below(len(legal))])
        return self._ask(game, view)

    def _ask(self, game: Any, view: View) -> int:
        """The bot's action in a game, among the actions legal by both sides' rules."""
        theirs = game_of(game, self._players)
        offered = self._offered(theirs, view)
        if not offered:
            legal = np.flatnonzero(view.mask[:NUM_ACTIONS_WITHOUT_TRADE])
            return int(legal[self.random.below(len(legal))])
        installed.set_playable_actions(theirs, list(offered))
        with own_random(self.random.next()):
            chosen = self._players[self.seat].decide(theirs, list(offered))
        first, *rest = offered[chosen]
        if first >= MOVE_ROBBER:
            self._intended = tuple(rest)
        return first

    def _offered(self, theirs: Any, view: View) -> dict[Any, Actions]:
        """Its actions that are legal here too, each with our action for it, in our order."""
        colors = COLORS[: self.rules.num_players]
        found = {}
        for action in installed.playable_actions(theirs):
            move = Move.read(colors, action)
            if move.kind == "DISCARD":
                continue
            actions = actions_of(move, colors)
            if actions is not None and view.mask[actions[0]]:
                found[action] = actions
        return dict(sorted(found.items(), key=lambda item: item[1]))
