"""The player of Xenou et al., 2018, which learns to trade while it plays.

Source: Xenou, Chalkiadakis, Afantenos, "Deep Reinforcement Learning in Strategic Board Game
Environments", EUMAS 2018, LNCS 2019.
"""

from catan_pz.published.xenou.agent import XenouAgent, kept

__all__ = ["XenouAgent", "kept"]
