"""Reviews of recorded games: win probabilities, luck and skill, the most costly decisions."""

from catan_pz.review.review import Review, check_reviewer, review_record

__all__ = ["Review", "check_reviewer", "review_record"]
