"""Speed of exact measures and ratings compared with peers, all measured in this run; run it on an idle machine.

Prints Markdown: NashConv of uniform random play in tic-tac-toe compared with OpenSpiel's C++ (`pip install
open-spiel`), and the fit of Bradley–Terry ratings compared with evalica and choix (`pip install evalica choix`).
Missing peers are left out. Our times include listing and solving the game, but not compilation; the peers are compiled
in advance too.
"""

from functools import partial

import numpy as np
from timing import fastest, installed

from ludarium.agents.search.solver import solve
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.statistics.ratings import bootstrap, fit
from ludarium.evaluation.statistics.results import Results


def nash_conv() -> None:
    game = make_game("tictactoe")

    def ours() -> float:
        solve.cache_clear()
        return measure(game, "random").nash_conv

    ours()
    (our_time,) = fastest(ours, repeats=5)
    print(f"| NashConv, tic-tac-toe: {ours():.10f} | Ludarium | {1000 * our_time:,.1f} ms | |")
    if installed("pyspiel"):
        import pyspiel

        theirs = pyspiel.load_game("tic_tac_toe")
        values: list[float] = []
        (their_time,) = fastest(
            lambda: values.append(pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs), True)), repeats=1
        )
        print(
            f"| {values[0]:.10f} | OpenSpiel, C++ | {1000 * their_time:,.1f} ms | {their_time / our_time:,.0f} × ours |"
        )


def other_games() -> None:
    for spec in ("hexapawn?rows=4&columns=4", "othello?size=4"):
        game = make_game(spec)
        for agent in ("random", "greedy", "mcts?simulations=50"):
            measure(game, agent, samples=4)
            (elapsed,) = fastest(partial(measure, game, agent, samples=20), repeats=1)
            print(f"| {spec}, {agent}, 20 answers a position | Ludarium | {1000 * elapsed:,.1f} ms | |")


def tournament(entrants: int, pairs: int) -> Results:
    rng = np.random.default_rng(0)
    strengths = rng.normal(0, 1, entrants)
    a = rng.integers(0, entrants, pairs)
    b = (a + rng.integers(1, entrants, pairs)) % entrants
    first, second = np.stack([a, b], 1).ravel(), np.stack([b, a], 1).ravel()
    won = rng.random(2 * pairs) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    names = ("random", *(f"agent {i}" for i in range(1, entrants)))
    return Results(names, first, second, won.astype(float), np.repeat(np.arange(pairs), 2))


def ratings() -> None:
    results = tournament(20, 10_000)
    bootstrap(results, replicates=1)
    (ours,) = fastest(lambda: fit(results), repeats=5)
    print(f"| ratings, 20 entrants, 20,000 games | Ludarium, with error bars | {1000 * ours:,.1f} ms | |")
    (elapsed,) = fastest(lambda: bootstrap(results), repeats=1)
    print(f"| 1,000 bootstrap replicates | Ludarium | {1000 * elapsed:,.1f} ms | |")
    if installed("evalica"):
        import evalica

        first, second = results.first.tolist(), results.second.tolist()
        winners = [evalica.Winner.X if won else evalica.Winner.Y for won in results.result]
        (elapsed,) = fastest(
            lambda: evalica.bradley_terry(first, second, winners, tolerance=1e-9, limit=10_000), repeats=3
        )
        print(f"| the fit alone | evalica | {1000 * elapsed:,.1f} ms | {elapsed / ours:,.1f} × ours |")
    if installed("choix"):
        import choix

        pairs = zip(results.first.tolist(), results.second.tolist(), results.result.tolist(), strict=True)
        data = [(a, b) if won else (b, a) for a, b, won in pairs]
        (elapsed,) = fastest(lambda: choix.ilsr_pairwise(20, data), repeats=1)
        print(f"| the fit alone | choix | {1000 * elapsed:,.1f} ms | {elapsed / ours:,.1f} × ours |")
    thousand = tournament(1000, 100_000)
    (elapsed,) = fastest(lambda: fit(thousand), repeats=2)
    print(f"| ratings, 1,000 entrants, 200,000 games | Ludarium, with error bars | {1000 * elapsed:,.1f} ms | |")


if __name__ == "__main__":
    print("| what | by | time | |\n|---|---|---|---|")
    nash_conv()
    other_games()
    ratings()
