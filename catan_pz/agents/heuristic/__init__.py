"""The heuristic player: hand-written rules on the observation of one seat."""
