"""Where catanatron plays by other rules: its legal moves, and what they bring, beside ours.

    python -m tests.tables.catanatron.legal_moves --games 1000

plays games between bots of the installed version. At each decision the position is taken
over; its legal moves are compared with our legal actions, and what the table shows after the
move with what our rules make of it.
"""

import argparse
import random
from collections import Counter
from dataclasses import replace

import numpy as np

from catan_pz.actions import ACTION_KINDS, DISCARD, STEAL
from catan_pz.game.game import Game
from catan_pz.tables.catanatron.bots import BotSpec
from catan_pz.tables.catanatron.facts import (
    Facts,
    board_from_map,
    write_cards,
    write_position,
)
from catan_pz.tables.catanatron.installed import moves_offered, version, written_records
from catan_pz.tables.catanatron.moves import CARD_OF, RESOURCE_OF, Move, actions_of
from catan_pz.tables.catanatron.players import document_of, map_document_of
from catan_pz.tables.catanatron.table import deal, table_rules
from catan_pz.terms import Card, Phase


class Comparison:
    def __init__(self, game, rules):
        self.game = game
        self.colors = [color.value for color in game.state.colors]
        self.rules = replace(
            rules, board=board_from_map(map_document_of(game.state.board.map)), max_turns=None
        )
        self.blank = Game(self.rules, seed=0)
        self.bought = []
        self.differences = Counter()
        self.decisions = 0

    def position(self):
        seat = self.game.state.current_player_index
        facts = Facts.read(document_of(self.game), seat)
        games = self.blank.games.copy()
        write_position(facts, games[0])
        write_cards(facts, games[0], self.bought, np.random.default_rng(0))
        record = games[0]
        self.uncover(record, facts.hands)
        discarding = record["phase"] == Phase.DISCARD
        record["to_discard"][:] = 0
        if discarding:
            record["to_discard"][seat] = facts.to_discard[seat]
        return Game.from_games(games, self.rules)

    def uncover(self, record, hands):
        """Write the true cards in the place of drawn ones."""
        state, hands = self.game.state, np.array(hands)
        record["hand"][: len(hands)] = hands
        record["below"][:] = record["above"][:] = 0
        for p in range(len(hands)):
            for card in Card:
                record["cards"][p, card] = state.player_state[f"P{p}_{card.name}_IN_HAND"]
        deck = [CARD_OF[name] for name in reversed(state.development_listdeck)]
        record["deck"][len(record["deck"]) - len(deck) :] = deck
        record["new_cards"] = np.bincount(np.array(self.bought, np.int64), minlength=len(Card))

    def play(self):
        """Ask the player to move, compare, and play its move."""
        game, state = self.game, self.game.state
        ours = self.position()
        offered = moves_offered(game)
        self.compare_moves(ours, offered)
        move = state.current_player().decide(game, offered)
        game.execute(move)
        written, result = written_records(game)[-1]
        done = Move.read(self.colors, written, result)
        self.compare_results(ours, done)
        if done.kind == "END_TURN":
            self.bought = []
        if done.kind == "BUY_DEVELOPMENT_CARD":
            self.bought.append(CARD_OF[done.brought])
        self.decisions += 1

    def compare_moves(self, ours, offered):
        legal = set(ours.legal_actions().tolist())
        allowed = set()
        for written in offered:
            move = Move.read(self.colors, written)
            actions = actions_of(move, self.colors)
            if actions is None:
                self.differences[f"{ours.phase.name}: no action stands for {move.kind}"] += 1
                allowed |= legal if move.kind == "DISCARD" else set()
            else:
                allowed.add(actions[0])
        for a in allowed - legal:
            self.differences[f"{ours.phase.name}: {kind_of(a)} legal there alone"] += 1
        for a in legal - allowed:
            self.differences[f"{ours.phase.name}: {kind_of(a)} legal here alone"] += 1

    def compare_results(self, ours, move):
        """Play the move here too, and compare what lies open to who played it."""
        actions = actions_of(move, self.colors)
        if not actions or not ours.mask[actions[0]] or self.game.winning_color() is not None:
            return
        for action in actions:
            if STEAL <= action < DISCARD and ours.phase != Phase.STEAL:
                continue
            if ours.player != move.seat:
                break
            ours.step_once(action, self.outcome(ours, action, move))
        after = Facts.read(document_of(self.game), move.seat)
        record, n = ours.state, len(self.colors)
        if after.position["phase"] != Phase.DISCARD:
            for name, value in after.position.items():
                field = record[name]
                if ((field[:n] if field.ndim else field) != value).any():
                    self.differences[f"after {move.kind}: {name} differs"] += 1
        hands = np.array(after.hands)
        if tuple(record["bank"]) != after.bank or (record["hand"][:n] != hands).any():
            self.differences[f"after {move.kind}: hands or bank differ"] += 1

    def outcome(self, ours, action, move):
        if not ours.outcomes(action):
            return None
        if move.kind == "ROLL":
            return move.brought
        return (CARD_OF | RESOURCE_OF)[move.brought]


def kind_of(action):
    return next(kind.name for kind in ACTION_KINDS if action in kind.ids)


def compare_game(number, bot):
    num_players = 2 + number % 3
    rules = table_rules(num_players)
    game = deal(rules, number)
    spec = BotSpec.read(bot)
    game.state.players = [spec.player(color) for color in game.state.colors]
    random.seed(number)
    comparison = Comparison(game, rules)
    while game.winning_color() is None and game.state.num_turns < 1000:
        comparison.play()
    return comparison.differences, comparison.decisions


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--bot", default="weighted", help="who plays all seats")
    options = parser.parse_args()
    total, decisions, touched = Counter(), 0, Counter()
    for number in range(options.first, options.first + options.games):
        differences, count = compare_game(number, options.bot)
        total += differences
        decisions += count
        touched.update(differences.keys())
    print(f"catanatron {version()}, {options.games} games, {decisions} decisions")
    for name, count in sorted(total.items()):
        print(f"{count:7d} in {touched[name]:5d} games  {name}")


if __name__ == "__main__":
    main()
