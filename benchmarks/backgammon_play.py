"""What races by tables, the cube and one roll ahead add to a network of backgammon, and what they cost.

Give the folder of a run of `td`: `python benchmarks/backgammon_play.py runs/td`. Prints Markdown: each player against
the same network without the one thing that the line is about, in pairs of games with the same dice, on one core.
"""

import argparse
import math
import time

from ludarium.agents.specs import make_agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import mean_interval

MATCHES = [  # what, game, options, options of the opponent, share of the pairs
    ("races by tables", "backgammon", "", "?races=False", 1.0),
    ("one roll ahead", "backgammon", "?ply=1", "", 0.05),
    ("the cube", "backgammon?cube=True&jacoby=True", "", "?cube=False", 1.0),
    ("the cube, matches to 5", "backgammon?match_length=5", "", "?cube=False", 0.3),
    ("one roll ahead, with the cube", "backgammon?cube=True&jacoby=True", "?ply=1", "", 0.05),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("run", help="the folder of a run of td in backgammon")
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs of games; fewer where games take long")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print("| what | game | points a game | games | games/s |\n|---|---|---|---|---|")
    for what, spec, options, others, share in MATCHES:
        game, pairs = make_game(spec), max(2, math.ceil(args.pairs * share))
        agents = [make_agent(f"td:{args.run}{one}", game) for one in (options, others)]
        started = time.process_time()
        result = play_match(game, agents, pairs, args.seed)
        seconds = time.process_time() - started
        mean, margin = mean_interval(result.points().tolist())
        print(
            f"| {what} | `{spec}` | {mean:+.4f} ± {margin:.4f} | {result.games:,} | {result.games / seconds:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
