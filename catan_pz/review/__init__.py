"""Reviews of recorded games: win probabilities, luck apart from play, the dearest decisions."""

from catan_pz.review.review import Review, check_reviewer, review_record

__all__ = ["Review", "check_reviewer", "review_record"]
