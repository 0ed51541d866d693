"""The plain backend: numba's documented decorators alone, for any version of numba."""
