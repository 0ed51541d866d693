"""What the parts of the trade of the agent `value` are worth, one left out at a time.

    python -m tests.benchmarks trading --games 400 --seed 100 --parts haggling refusals

Each row is a match against three `heuristic` players, on the same boards with the same dice.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.value.acceptance import Acceptance
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.agents.value.trader import Ask, Offered, Trader
from catan_pz.arena import play_match
from catan_pz.arena.results import percent, percents
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.benchmarks.measuring import options, print_table

PARTS = {
    "nothing": "",
    "offers": "it makes none",
    "width": "one card for one only",
    "haggling": "the offer first that promises most by itself",
    "acceptance": "all agree as often",
    "learning": "answers tell nothing of who gives them",
    "refusals": "what was refused is asked again",
    "counters": "no counter-offers",
    "secrecy": "nothing; a card that an offer shows to a seat costs 0.1 %",
    "silence": "nothing; a card that an offer shows to a seat costs 0.5 %",
}

PRICES = {"secrecy": 0.001, "silence": 0.005}
"""In win probability of the maker, of each card that a seat learns of by an offer."""


class Handicapped(Trader):
    """A trader without a part."""

    part: str

    def offers(self, view: View, games: np.ndarray) -> Offered:
        found = super().offers(view, games)
        kept = np.ones(len(found.chances), bool)
        if self.part == "width":
            kept = (abs(found.swaps).sum(1) == 2) & kept
        if self.part == "offers" or (
            self.part == "counters" and view.segments["phase"][Phase.ANSWER]
        ):
            kept[:] = False
        values = found.values
        if self.part in PRICES:
            game, me = games[0], self.seat
            known = (game["hand"][me] - game["below"][:, me])[: self.rules.num_players]
            shown = np.maximum(-found.swaps[:, None] - known, 0).sum((1, 2))  # (K,)
            values = values - PRICES[self.part] * shown / found.chances  # paid if refused, too
            kept &= values > found.now
        return Offered(*(x[kept] for x in (*found[:3], values)), found.now)

    def chosen(self, offered: Offered, base: float, tries: int) -> Ask | None:
        return super().chosen(offered, base, min(tries, 1) if self.part == "haggling" else tries)

    def _note(self, view: View, tried: Any, q: int, agreed: bool) -> None:
        odds = self._odds.copy()
        super()._note(view, tried, q, agreed)
        if self.part == "learning":
            self._odds = odds

    def _has_refused(self, view: View, swaps: NDArray[np.int8]) -> NDArray[np.int8]:
        found = super()._has_refused(view, swaps)
        return found * 0 if self.part == "refusals" else found


class HandicappedAgent(ValueAgent):
    """The agent without a part."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part = part

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        trader = Handicapped(seat, rules, self._net_for(rules))
        trader.part = self.part
        if self.part == "acceptance":
            types = np.zeros((1, trader.acceptance.types.shape[1]))
            types[0, 0] = -2.0
            trader.acceptance = Acceptance(types, np.ones(1))
            trader._odds = np.ones((len(trader._odds), 1))
        self._trader = trader


def rows(args: Any) -> Iterator[list[str]]:
    rules = Rules(offer_form=args.form, max_offers_per_turn=args.most)
    for part in args.parts:
        agents = [("agent", HandicappedAgent(part)), *[args.against] * 3]
        result = play_match(agents, args.games, rules, seed=args.seed, progress=False)
        rate, interval = percent(result.win_rate("agent")), percents(result.interval("agent"))
        yield [part, PARTS[part], rate, interval, f"{result.tally('agent').milliseconds:.2g}"]


def main() -> None:
    args = options(
        __doc__,
        games=(400, "games of each row"),
        seed=(100, "of the first"),
        parts=(tuple(PARTS), "that are left out, one at a time"),
        form=("templates", "of the rules' offers"),
        most=(3, "offers of a turn"),
        against=("heuristic", "who plays the other seats"),
    )
    print_table(("left out", "instead", "won", "95 % interval", "ms a decision"), rows(args))
