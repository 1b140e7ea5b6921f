"""What both scripts beside this one say of their rounds."""
from math import comb

# Of fewer values not even the smallest and the largest enclose the median with 95 % confidence.
FEWEST = 6


def interval(values):
    """The innermost two of the values between which their median lies with 95 % confidence or more, whatever their distribution."""
    ordered = sorted(values)
    count, below, rank = len(ordered), 0, 0
    while 2 * (below + comb(count, rank)) <= 0.05 * 2 ** count:
        below += comb(count, rank)
        rank += 1
    if rank == 0:
        raise ValueError(f"{count} values are too few")
    return ordered[rank - 1], ordered[count - rank]
