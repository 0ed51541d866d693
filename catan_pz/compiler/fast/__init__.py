"""The fast backend: quicker to compile and to call, on private parts of numba.

`compiler.backend` takes it for the versions of numba that it was tested with.
"""
