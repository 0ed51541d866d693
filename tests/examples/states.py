"""The end of a training, for comparisons."""

import numpy as np
import torch

from catan_pz.training.checkpoints import Checkpoints, unpack_arrays


def final_state(out):
    """The end of a training, without its times."""
    state = Checkpoints(out).load()
    learner = state["learner"]
    with np.load(out / "model.npz") as file:
        policy = {name: file[name].tobytes() for name in file.files if name != "header"}
    return {
        "policy": policy,
        "optimizer": [
            value.tolist() if torch.is_tensor(value) else value
            for part in learner["optimizer"]["state"].values()
            for value in part.values()
        ],
        "rate": learner["optimizer"]["param_groups"][0]["lr"],
        "curve": [{k: v for k, v in row.items() if k != "seconds"} for row in state["curve"]],
        "counters": (learner["num_timesteps"], learner["n_updates"], learner["updates"]),
        "league": learner["league"],
        "games": {k: v.tobytes() for k, v in unpack_arrays(learner["games"]).items()},
        "torch": learner["random"]["torch"].tolist(),
        "numpy": learner["random"]["numpy"][1].tolist(),
        "extra": plain(learner["extra"]),
        "episodes": [(one["r"], one["l"]) for one in learner["episodes"]],
        "ended": learner["ended"],
        "snapshots": sorted(path.name for path in (out / "league").glob("*")),
    }


def plain(value):
    """Nested values with tensors as bytes."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return bytes(value.tolist()) if torch.is_tensor(value) else value
