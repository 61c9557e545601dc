"""Swiss rounds: who meets whom, from the standings. A maximum matching is nearly always found, but not guaranteed."""

from collections import Counter, deque

_NOBODY = -1  # the partner of an entrant that rests


def swiss_pairings(order: list[int], met: set[tuple[int, int]], rests: Counter[int]) -> list[tuple[int, int]]:
    """The pairings of one round: neighbours in the standings that have not met.

    With an odd number of entrants one rests: among those that have rested least often, the last in the standings. Then,
    from the top, each entrant meets the next one below that it has not met. An entrant left over is paired by changing
    other pairs, preferably at the bottom; if that fails, by letting another one rest. If that fails too, it rests.

    Args:
        order: the entrants, best first.
        met: the pairings so far, the smaller number first.
        rests: how often each entrant has rested.

    Returns:
        The pairings, the smaller number first.
    """
    partner: dict[int, int] = {}
    everybody, unfair = order, set[tuple[int, int]]()
    if len(order) % 2:
        resting = min(reversed(order), key=lambda i: rests[i])
        partner = {resting: _NOBODY, _NOBODY: resting}
        everybody = [_NOBODY, *order]
        unfair = {_pair(_NOBODY, i) for i in order if rests[i] > rests[resting]}
    _pair_with_next(order, met, partner)
    for excluded in (met | unfair, met):
        for one in order:
            if one not in partner:
                _augment(one, everybody, excluded, partner)
    return sorted((a, b) for a, b in partner.items() if _NOBODY < a < b)


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _pair_with_next(order: list[int], met: set[tuple[int, int]], partner: dict[int, int]) -> None:
    """Pair each entrant without a partner, from the top, with the next one below that it has not met."""
    free = [one for one in order if one not in partner]
    while free:
        one = free.pop(0)
        other = next((other for other in free if _pair(one, other) not in met), None)
        if other is not None:
            free.remove(other)
            partner[one], partner[other] = other, one


def _augment(start: int, order: list[int], excluded: set[tuple[int, int]], partner: dict[int, int]) -> None:
    """Find a partner for `start` by a shortest augmenting path, if there is one.

    The search is breadth-first over alternating paths, from the bottom of the standings up. It passes through each pair
    once, in the direction in which it reaches the pair first (blossoms are not handled), so it occasionally misses a
    path.
    """
    reached_from: dict[int, int] = {}
    unseen = [one for one in reversed(order) if one != start]
    waiting = deque([start])
    while waiting:
        one = waiting.popleft()
        for other in unseen:
            if _pair(one, other) in excluded or partner.get(other) in reached_from:
                continue
            reached_from[other] = one
            if other not in partner:
                _exchange(other, reached_from, partner)
                return
            waiting.append(partner[other])
        unseen = [i for i in unseen if i not in reached_from and partner.get(i) not in reached_from]


def _exchange(end: int | None, reached_from: dict[int, int], partner: dict[int, int]) -> None:
    """Pair along an augmenting path, from its end back to its start; each partner left behind takes the next one."""
    while end is not None:
        one = reached_from[end]
        left = partner.get(one)
        partner[one], partner[end] = end, one
        end = left
