"""Swiss rounds: who meets whom, from the standings. As many play as can, without a pairing that has been played."""

from collections import Counter, deque

_NOBODY = -1  # the partner of an entrant that rests


def swiss_pairings(order: list[int], met: set[tuple[int, int]], rests: Counter[int]) -> list[tuple[int, int]]:
    """The pairings of one round: neighbours in the standings that have not met.

    With an odd number of entrants one rests: among those that have rested least often, the last in the standings. Then,
    from the top, each entrant meets the next one below that it has not met. An entrant left over is paired by changing
    other pairs, preferably at the bottom; if that is impossible, by letting another one rest. If that is impossible
    too, it rests: the pairings are always as many as there can be.

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
    """Find a partner for `start` by an augmenting path, if there is one (Edmonds 1965, "Paths, trees, and flowers").

    The search is breadth-first over alternating paths, from the bottom of the standings up. An odd circle, a blossom,
    counts as one entrant, its base: a path may go around it in either direction.
    """
    reached_from: dict[int, int] = {}
    base = {one: one for one in order}
    waiting, outer = deque([start]), {start}  # reached in an even number of steps, so their partner may be exchanged
    while waiting:
        one = waiting.popleft()
        for other in reversed(order):
            if base[other] == base[one] or partner.get(one) == other or _pair(one, other) in excluded:
                continue
            if other in outer:
                inside = _contract(one, other, reached_from, base, partner)
                waiting.extend(i for i in inside if i not in outer)
                outer.update(inside)
            elif other not in reached_from:
                reached_from[other] = one
                if other not in partner:
                    _exchange(other, reached_from, partner)
                    return
                waiting.append(partner[other])
                outer.add(partner[other])


def _contract(
    one: int, other: int, reached_from: dict[int, int], base: dict[int, int], partner: dict[int, int]
) -> list[int]:
    """Make one of the blossom that the pair closes; returns all in it."""
    ancestors = [base[one]]
    while ancestors[-1] in partner and partner[ancestors[-1]] in reached_from:
        ancestors.append(base[reached_from[partner[ancestors[-1]]]])
    common = base[other]
    while common not in ancestors:
        common = base[reached_from[partner[common]]]
    blossom = {common}
    for end, across in ((one, other), (other, one)):
        while base[end] != common:
            blossom |= {base[end], base[partner[end]]}
            reached_from[end] = across
            across = partner[end]
            end = reached_from[across]
    inside = [i for i in base if base[i] in blossom]
    base.update(dict.fromkeys(inside, common))
    return inside


def _exchange(end: int | None, reached_from: dict[int, int], partner: dict[int, int]) -> None:
    """Pair along an augmenting path, from its end back to its start; each partner left behind takes the next one."""
    while end is not None:
        one = reached_from[end]
        left = partner.get(one)
        partner[one], partner[end] = end, one
        end = left
