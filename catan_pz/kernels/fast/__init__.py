"""The fast backend: quicker to compile and to call, on private parts of numba.

`kernels.backend` takes it for the versions of numba that it was tested with.
"""
