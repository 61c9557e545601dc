"""How well the published lists of rules play Hanabi here, beside what the original program of each scores.

Prints the tables of `docs/hanabi_rules.md` as Markdown: the mean scores of teams of equals at 2 to 5 seats, by both
conventions, points kept and zero on bomb, and at two seats those of every two lists, each in the first seat in half the
games. All teams get the same decks. The documentation shows the results of `--games 5000`; `--part` prints one table,
`--beliefs exact` and `--order age` those of other ways to play the lists.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.hanabi.lists import RULE_LISTS
from ludarium.agents.hanabi.players import rule_list
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

SEATS = (2, 3, 4, 5)
ORIGINAL: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "legal-random": ((1.257, 1.254, 1.278, 1.252), (0.0, 0.0, 0.0, 0.0)),
    "flawed": ((1.469, 1.594, 1.715, 1.828), (0.0, 0.0, 0.0, 0.0)),
    "internal": ((11.188, 11.023, 10.170, 9.993),) * 2,
    "outer": ((14.504, 14.471, 13.079, 12.653),) * 2,
    "cautious": ((16.731, 17.164, 16.421, 15.234),) * 2,
    "iggi": ((16.442, 16.802, 16.127, 15.104), (15.860, 16.802, 16.127, 15.104)),
    "vdb": ((13.441, 17.481, 17.122, 16.244),) * 2,
    "piers": ((17.341, 17.555, 17.152, 16.267),) * 2,
}
"""Points kept and zero on bomb in 5,000 games of the program of Walton-Rivers et al. with 2, 3, 4 and 5 seats."""
CROSS_PLAY = {
    ("legal-random", "legal-random"): (1.29, 0.00), ("flawed", "legal-random"): (1.67, 0.00),
    ("flawed", "flawed"): (1.56, 0.00), ("internal", "legal-random"): (1.79, 0.00),
    ("internal", "flawed"): (3.37, 0.02), ("internal", "internal"): (11.25, 11.25),
    ("outer", "legal-random"): (1.72, 0.00), ("outer", "flawed"): (3.67, 0.05),
    ("outer", "internal"): (12.73, 12.73), ("outer", "outer"): (14.48, 14.48),
    ("iggi", "legal-random"): (1.88, 0.01), ("iggi", "flawed"): (3.77, 0.26), ("iggi", "internal"): (13.63, 13.63),
    ("iggi", "outer"): (15.78, 15.78), ("iggi", "iggi"): (16.61, 16.21), ("piers", "legal-random"): (2.01, 0.04),
    ("piers", "flawed"): (4.05, 0.15), ("piers", "internal"): (14.05, 14.05), ("piers", "outer"): (16.08, 16.08),
    ("piers", "iggi"): (16.99, 16.88), ("piers", "piers"): (17.30, 17.30), ("vdb", "legal-random"): (1.78, 0.00),
    ("vdb", "flawed"): (4.06, 0.08), ("vdb", "internal"): (13.40, 13.40), ("vdb", "outer"): (14.40, 14.40),
    ("vdb", "iggi"): (16.30, 16.30), ("vdb", "piers"): (16.24, 16.24), ("vdb", "vdb"): (13.60, 13.60),
}  # fmt: skip
"""The same of every two lists at two seats, 500 games each; Cautious was not among them."""


def scores(seated: Sequence[str], games: int, conventions: Sequence[str], ways: dict[str, str]) -> list[float]:
    """Mean scores of a table, by convention; everybody moves up a seat from one game to the next."""
    keys: NDArray[np.uint64] = np.array([seed_key(0, number) for number in range(games)], dtype=np.uint64)
    seating = (np.arange(len(seated)) + np.arange(games)[:, None]) % len(seated)
    means = []
    for convention in conventions:
        game = make_game(f"hanabi?seats={len(seated)}&score={convention}")
        policies = [rule_list(game, name=name, **ways) for name in seated]
        means.append(float(play_games(game, policies, seating, keys, keys).payoffs[:, 0].mean()))
    return means


def mirror(games: int, ways: dict[str, str]) -> None:
    """Teams of equals, beside the original; the greatest difference last."""
    print("| list | " + " | ".join(f"{seats} seats" for seats in SEATS) + " |")
    print("|---|" + "---|" * len(SEATS))
    worst = 0.0
    for name, (kept, zero) in ORIGINAL.items():
        cells = []
        for i, seats in enumerate(SEATS):
            ours = scores([name] * seats, games, ("points-kept", "zero-on-bomb"), ways)
            cells.append(f"{pair(ours)} (original {pair((kept[i], zero[i]))})")
            worst = max(worst, abs(ours[0] - kept[i]))
        print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)
    print(f"\nThe greatest difference from the original in points kept is {worst:.2f}.")


def cross_play(games: int, ways: dict[str, str]) -> None:
    """Every two lists at two seats, beside the original where it is known."""
    names = list(RULE_LISTS)
    print("| | " + " | ".join(f"`{name}`" for name in names) + " |")
    print("|---|" + "---|" * len(names))
    for i, one in enumerate(names):
        cells = []
        for other in names[: i + 1]:
            ours = pair(scores([one, other], games, ("points-kept", "zero-on-bomb"), ways))
            published = CROSS_PLAY.get((one, other)) or CROSS_PLAY.get((other, one))
            cells.append(ours + (f" ({pair(published)})" if published else ""))
        print(f"| `{one}` | " + " | ".join(cells + [""] * (len(names) - i - 1)) + " |", flush=True)


def pair(both: Sequence[float]) -> str:
    """Points kept, and zero on bomb where it differs."""
    kept, zero = (f"{score:.2f}" for score in both)
    return kept if kept == zero else f"{kept} / {zero}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5000, help="games for each figure")
    parser.add_argument("--part", choices=("mirror", "cross-play"), help="print one table only")
    parser.add_argument("--beliefs", choices=("marginal", "exact"), default="marginal")
    parser.add_argument("--order", choices=("place", "age"), default="place")
    args = parser.parse_args()
    ways = {"beliefs": args.beliefs, "order": args.order}
    if args.part != "cross-play":
        mirror(args.games, ways)
    if args.part is None:
        print()
    if args.part != "mirror":
        cross_play(args.games, ways)


if __name__ == "__main__":
    main()
