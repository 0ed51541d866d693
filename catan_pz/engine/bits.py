"""Sets as the bits of an int64, without the sign bit."""

from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.kernels.rule import rule


@rule
def count(members: int) -> int:
    """The number of members of a set (up to 56)."""
    # LLVM recognises this form and compiles it to one instruction.
    x = members - ((members >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56) & 127


@rule
def first(members: int) -> int:
    """The lowest member of a non-empty set."""
    return count((members & -members) - 1)


@rule
def pick(members: int, n: int) -> int:
    """The n-th member of a set in increasing order, from 0."""
    for _ in range(n):
        members &= members - 1
    return first(members)


@rule
def has_vertex(vertices: int, v: int) -> bool:
    return (vertices >> v) & 1 == 1


@rule
def edge_word(e: int) -> int:
    """The index of the word of an edge set that holds edge e."""
    return int(e >= EDGES_PER_WORD)


@rule
def edge_bit(e: int) -> int:
    return 1 << (e - EDGES_PER_WORD * edge_word(e))
