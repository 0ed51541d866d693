"""A player of Catan in bare Python, without catan-pz or any other library.

catan-pz evaluate 'exec:"python3 examples/programs/bot.py"' --players 2 --games 20

The protocol is described in docs/programs.md.
"""

import json
import random
import sys


def choose(view: dict) -> int:
    """A city, else a settlement, else any other action but the end of the turn."""
    actions = view["actions"]
    for kind in ("build_city", "build_settlement"):
        found = [action["id"] for action in actions if action["kind"] == kind]
        if found:
            return random.choice(found)
    others = [action["id"] for action in actions if action["kind"] != "end_turn"]
    return random.choice(others or [actions[0]["id"]])


def main() -> None:
    """Answer messages until there are no more."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            reply = {"type": "hello", "name": "bot.py", "events": False}
        elif message["type"] == "start":
            random.seed(message["seed"])
            reply = {"type": "ready"}
        elif message["type"] == "view":
            reply = {"type": "action", "id": choose(message)}
        else:
            continue
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
