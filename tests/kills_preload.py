"""What programs that are to be killed have ready: libraries, and rules that are compiled."""

from importlib.util import find_spec

import catan_pz.cli.app
from catan_pz.arena import play_match, rate, to_markdown  # noqa: F401
from catan_pz.env.vector.single_learner import SingleLearnerBatch

if find_spec("sb3_contrib") and find_spec("tyro") and find_spec("matplotlib"):
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401

    import catan_pz.training.imitation
    import catan_pz.training.league
    import catan_pz.training.policies
    import catan_pz.training.quick  # noqa: F401

RULES = {"num_players": 2, "trading": False, "max_turns": 3}

play_match(["heuristic", "weighted"], 1, seed=1, progress=False, **RULES)
batch = SingleLearnerBatch(2, seed=1, observation="units", reward="points_gained", **RULES)
batch.step(batch.sample())
batch.close()
