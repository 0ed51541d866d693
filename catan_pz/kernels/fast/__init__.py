"""The fast backend: faster compilation and calls, through private parts of numba.

`kernels.backend` chooses it for tested versions of numba.
"""
