"""RLlib: a module with masks, and a runner that steps a batch instead of environments."""
