"""One decision at random with mask and observation, on CUDA."""

from numba import cuda

from catan_pz.engine import chance, legal
from catan_pz.engine.play import EVENTS, Log, play
from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array, Int8Matrix, Int16Matrix
from catan_pz.observation import encode


@kernel
def play_and_look(
    s: State,
    mask: Int8Array,
    obs: Int8Array,
    events: Int16Matrix,
    terms: Int8Matrix,
    viewer: int,
    script: Int8Matrix,
):
    """Play a random legal action, if there is one; write mask, observation, events, terms."""
    n = legal.count_legal(s)
    if n > 0:
        a = legal.pick_legal(s, chance.draw_below(s, n))
        play(s, a, script, Log(EVENTS, events, terms))
    legal.write_mask(s, mask)
    encode.observe(s, viewer, obs)


@cuda.jit
def simulated_kernel(games, masks, observations, events, terms, viewer, script):
    """`play_and_look` in every game, one a thread."""
    i = cuda.grid(1)
    if i < games.shape[0]:
        play_and_look(games[i], masks[i], observations[i], events[i], terms[i], viewer, script)
