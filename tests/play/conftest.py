from tests.play.recordings import recorded

__all__ = ["recorded"]
