"""What every training needs: its folder, checkpoints, evaluations, curves, imitation, a league.

The modules are imported one by one; most of them need the extra `train`.
"""
