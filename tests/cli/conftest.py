from tests.ui.recordings import recorded

__all__ = ["recorded"]
