"""All these tests need the libraries of the extra `train`."""

from importlib.util import find_spec

needed = ("matplotlib", "sb3_contrib", "torch", "tyro")
collect_ignore_glob = [] if all(map(find_spec, needed)) else ["test_*.py"]
