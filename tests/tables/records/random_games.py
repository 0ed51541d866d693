"""Our random games, to be written in other programs' formats."""

from typing import Any

import numpy as np

from catan_pz import actions
from catan_pz.engine.trade import COUNTERED
from catan_pz.events import Decision
from catan_pz.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import Phase, Resource


class RandomGame:
    """A game that is played and told; those who inherit write it by their `tell...`.

    Attributes:
        decisions: a reader's knowledge of the decisions, in its form.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules
        self.game = Game(rules, seed)
        self.rng = np.random.default_rng(seed)
        self.decisions: list[Decision] = []
        self.discarded: dict[int, list[Resource]] = {}

    def play(self, most: int = 3000) -> Any:
        """Play at random, rather building than trading."""
        while not self.game.is_over and len(self.decisions) < most:
            legal = self.game.legal_actions()
            built = legal[(legal >= actions.BUILD_ROAD) & (legal < actions.MOVE_ROBBER)]
            offers = legal >= actions.OFFER
            if len(built) and self.rng.random() < 0.8:
                legal = built
            elif self.game.phase == Phase.MAIN and not offers.all() and self.rng.random() < 0.8:
                legal = legal[~offers]
            elif self.game.phase == Phase.ANSWER and actions.ACCEPT in legal:
                legal = legal[legal != actions.REJECT] if self.rng.random() < 0.5 else legal
            self.take(int(self.rng.choice(legal)))
        return self

    def take(self, action: int) -> None:
        """Play an action, and write its public facts."""
        game, before = self.game, self.game.copy()
        decision = Decision.of(game.step_once(action))
        if action >= actions.OFFER:
            self.trade(before, action)
        else:
            self.decisions.append(decision)
            if before.phase == Phase.DISCARD:
                card = Resource(action - actions.DISCARD)
                self.discarded.setdefault(decision.player, []).append(card)
                if game.phase != Phase.DISCARD:
                    self.tell_discards()
                    self.discarded = {}
            else:
                self.tell(before, decision)
        if game.is_over:
            self.tell_winner()

    def trade(self, before: Game, action: int) -> None:
        """Offers that are sent, answers, ends; what is composed and not sent remains unknown."""
        game, seat, turn = self.game, before.player, before.turn_player
        sent = actions.OFFER <= action < actions.COMPOSE_GIVE or action == actions.COMPOSE_SEND
        taken_back = action == actions.WITHDRAW and before.phase == Phase.COMPOSE
        if actions.COMPOSE_GIVE <= action < actions.COMPOSE_SEND or (taken_back and seat == turn):
            return
        if sent:
            if action == actions.COMPOSE_SEND:
                give, get = before.state["offer_give"][seat], before.state["offer_get"][seat]
            else:
                k = action - actions.OFFER
                give, get = actions.OFFER_GIVE[k], actions.OFFER_GET[k]
            template = actions.template_of(give, get)
            played = actions.composing(give, get) if template is None else (template,)
            self.decisions += [Decision(seat, one, None) for one in played]
            self.tell_offer(seat, give, get)
        elif action in (actions.ACCEPT, actions.REJECT) or taken_back:
            accepts = action == actions.ACCEPT
            answer = actions.ACCEPT if accepts else actions.REJECT
            self.decisions.append(Decision(seat, answer, None))
            self.tell_answer(seat, accepts=accepts)
        else:
            self.decisions.append(Decision(seat, action, None))
        if game.phase == Phase.MAIN:
            if not actions.CLOSE_WITH <= action < actions.WITHDRAW:
                self.tell_end(turn, None)
                return
            s = before.state
            other = (seat + action - actions.CLOSE_WITH + 1) % self.rules.num_players
            give, get = s["offer_give"][seat], s["offer_get"][seat]
            if s["answer"][other] == COUNTERED:
                give, get = s["offer_get"][other], s["offer_give"][other]
            self.tell_end(seat, other, give, get)


def victim(before: Game, after: Game) -> int:
    """Who has been robbed."""
    return int(np.flatnonzero(after.state["hand_size"] < before.state["hand_size"])[0])
