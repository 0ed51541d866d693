"""Compiles rules, plain Python functions on records, for the CPU and for CUDA."""
