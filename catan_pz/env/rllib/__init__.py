"""RLlib: a masked module, and a runner of games that steps a batch instead of environments."""
