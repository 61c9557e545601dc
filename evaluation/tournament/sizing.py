"""How large pieces of work are: large enough that handing them out costs little, and smaller near the end.

Each is a share of what is left for every worker (guided self-scheduling: Polychronopoulos and Kuck 1987), so that all
workers end at nearly the same time. Sizes follow from how fast the games have been, and results do not depend on them.
"""

from ludarium.evaluation.tournament.pieces import Work

QUEUED = 2  # pieces for each worker that are handed out at a time: one is played while the next one waits
FIRST = 4  # pairs in a piece while nothing is known about the speed of its agents
LARGEST = 4096  # maximum number of pairs in a piece
_LEAST_LONGEST, _LONGEST_PER_WORKER = 1.0, 0.01  # seconds: Dask's scheduler spends milliseconds on each piece
_SHORTEST = 1 / 8  # of the longest
_SHARES = 4  # pieces for each worker into which what is left is split
_FASTEST = 1e-6  # seconds a pair


def piece_seconds(left: float, workers: int) -> float:
    """How long the next piece should take, in seconds.

    Args:
        left: seconds that one worker would need for everything that has not been handed out.
        workers: number of workers.
    """
    longest = max(_LEAST_LONGEST, _LONGEST_PER_WORKER * workers)
    return min(longest, max(_SHORTEST * longest, left / (_SHARES * workers)))


def piece_pairs(pace: float | None, left: int, workers: int, *, first: int = FIRST) -> int:
    """How many pairs the next piece has, at least one.

    Args:
        pace: seconds a pair; None if it is not known.
        left: number of pairs that have not been handed out.
        workers: number of workers.
        first: what it has if the pace is not known; timed games, which may take minutes, begin with one.
    """
    if pace is None:
        return first
    return max(1, min(LARGEST, int(piece_seconds(left * pace, workers) / max(pace, _FASTEST))))


class Speed:
    """How fast the games of a tournament have been on its workers."""

    def __init__(self) -> None:
        self._pairings: dict[tuple[int, int, int], float] = {}  # seconds a pair
        self._entrants: dict[tuple[int, int], float] = {}  # the same in the last games of an entrant, by event
        self._besides: dict[int, float] = {}  # seconds that making the agents takes in each piece, by event

    def learn(self, work: Work, playing: float, besides: float) -> None:
        """Count a piece that has been played.

        Args:
            work: the piece.
            playing: seconds that its games took.
            besides: seconds that making its agents took.
        """
        pace = self._pairings[work[:3]] = playing / work.pairs
        self._entrants[work.event, work.a] = self._entrants[work.event, work.b] = pace
        self._besides[work.event] = besides

    def pace(self, event: int, a: int, b: int) -> float | None:
        """Seconds a pair of a pairing; before its first piece, the slower of its entrants in their last games."""
        known = self._pairings.get((event, a, b))
        if known is not None:
            return known
        alone = [self._entrants.get((event, entrant)) for entrant in (a, b)]
        return None if None in alone else max(pace for pace in alone if pace is not None)

    def seconds(self, work: Work) -> float | None:
        """How long a piece will take; None if that is not known."""
        pace = self.pace(*work[:3])
        return None if pace is None else self._besides[work.event] + work.pairs * pace
