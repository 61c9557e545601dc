"""How values of Othello become discs: `python benchmarks/othello_discs.py make|measure`.

`make` plays games from random openings of all lengths, for each size of the board, and writes them beside
`ludarium.agents.othello.discs`, with the slopes of `mcts`, which takes five CPU minutes.

`measure` prints Markdown about other games of the same kind, by the discs on the board: how many discs a point of each
evaluation stands for, and how far the final disc difference is from what is expected (the root of the mean square).
Then the same for what agents show for the move that they play, as long as it is an estimate, with the slope of the
results over it, which is 1 if they promise neither too much nor too little.
"""

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ludarium.agents import expert
from ludarium.agents.othello import discs as othello_discs
from ludarium.agents.othello.discs import NONE, SHIPPED, Sample
from ludarium.agents.search import mcts
from ludarium.agents.search.evaluations import evaluations
from ludarium.agents.specs import make_agent
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import stream
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position
from ludarium.evaluation.play.match import play_match

SEED, TEST_SEED = 1, 1_000_000
PLAYERS = {  # by size: who plays, and the random moves of the longest opening
    8: ("expert?nodes=20000", 40),
    6: ("alphabeta?depth=60&nodes=20000&endgame=18", 20),
    4: ("alphabeta?endgame=12", 8),
}
"""Every move with fewer empty squares than the player's endgame is perfect, to the last disc."""
GAMES_EACH, SHORT = 25, 12  # after each length of opening; twice as many after short ones
PLAYOUTS = 100  # positions with each number of discs, for the slopes of mcts
PHASE, SHOWN = 8, 150  # discs; positions of each phase in which agents are asked


def play(size: int, seed: int, games: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Games after each length of opening: where discs were put, and how many of them at random."""
    game, (player, longest) = Othello(size=size, scoring="empties_to_winner"), PLAYERS[size]
    recorded, opening = [], []
    for plies in range(1, longest + 1):
        pairs = games * (1 + (plies <= SHORT))
        played = play_match(
            game, [player, player], pairs, seed + plies, opening=plies, seating=np.array([[0, 1]]), record=True
        )
        for moves in played.moves:
            discs = moves[(moves >= 0) & (moves != game.passing)]
            recorded.append(np.pad(discs, (0, size * size - 4 - len(discs)), constant_values=NONE))
            opening.append(np.count_nonzero(moves[:plies] != game.passing))
    return np.array(recorded, dtype=np.uint8), np.array(opening, dtype=np.uint8)


def make() -> None:
    """Play and write the games, then fit the slopes of mcts to them."""
    before, arrays = time.process_time(), dict[str, NDArray[np.number]]()
    for size in PLAYERS:
        arrays[f"moves{size}"], arrays[f"opening{size}"] = play(size, SEED, GAMES_EACH)
    np.savez_compressed(SHIPPED, **arrays)
    for size in PLAYERS:
        rows = (playouts(Othello(size=size, scoring=scoring)) for scoring in ("wins", "empties_to_winner"))
        arrays[f"playouts{size}"] = np.array(list(rows), dtype=np.float32)
    np.savez_compressed(SHIPPED, **arrays)
    print(f"{time.process_time() - before:.0f} CPU s, {SHIPPED.stat().st_size:,} bytes")


def playouts(game: Othello) -> NDArray[np.float64]:
    """The slopes of the mean payoff that mcts finds for the move that it plays."""
    paid = othello_discs.counted(game)
    sample, draws = othello_discs.sample(paid), np.random.default_rng(SEED)
    rows: list[tuple[float, int, float]] = []
    for discs in np.unique(sample.discs):
        places = np.flatnonzero(sample.discs == discs)
        for place in draws.permutation(places)[:PLAYOUTS]:
            position = game.from_text(Position(paid, sample.states[place].copy()).text)
            tried = mcts.search(position, stream(SEED, int(place)))[0]
            rows.append((tried.payoff / game.largest_payoff, int(discs), float(sample.results[place])))
    values, discs, results = (np.array(column) for column in zip(*rows, strict=True))
    return othello_discs.fit(values, discs, results, game.options["size"] ** 2)


def measure(size: int, games: int, agents: Sequence[str]) -> None:
    """Print the slopes and errors of evaluations, then those of what agents show."""
    game, squares = Othello(size=size), size * size
    sample = othello_discs.replay(othello_discs.counted(game), *play(size, TEST_SEED, games))
    judges = evaluations(game)
    if size == 8:
        judges = {"expert": expert.evaluation(game), **judges}
    fits = {name: one for name, one in judges.items() if othello_discs.slopes(game, one).any()}
    print(
        f"| discs | positions | spread of results | {' | '.join(f'`{name}`: discs a point | error' for name in fits)} |"
    )
    print("|---|" + "---|" * (2 + 2 * len(fits)))
    expected = {name: _expected(game, one, sample) for name, one in fits.items()}
    for low, inside in phases(sample, squares):
        cells = [
            f"{low}–{min(squares - 1, low + PHASE - 1)}",
            f"{inside.sum():,}",
            f"{root_mean(sample.results[inside]):.1f}",
        ]
        for name, one in fits.items():
            slope = othello_discs.slopes(game, one)[sample.discs[inside]].mean()
            cells += [f"{slope:.3g}", f"{root_mean(sample.results[inside] - expected[name][inside]):.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    print("\n| agent | discs | positions | error | slope |", "|---|---|---|---|---|", sep="\n")
    for spec in agents:
        show(game, spec, sample)


def _expected(game: Othello, evaluation: Evaluation, sample: Sample) -> NDArray[np.float64]:
    expected = othello_discs.values(game, evaluation, sample.states)
    return np.clip(expected * othello_discs.slopes(game, evaluation)[sample.discs], -game.passing, game.passing)


def phases(sample: Sample, squares: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """The positions of each phase, with its lowest number of discs."""
    for low in range(4, squares, PHASE):
        inside = (sample.discs >= low) & (sample.discs < low + PHASE)
        if inside.any():
            yield low, inside


def show(game: Othello, spec: str, sample: Sample) -> None:
    """What an agent shows for the moves that it plays, beside the results, as long as it is an estimate."""
    agent, draws = make_agent(spec, game), np.random.default_rng(TEST_SEED)
    for low, inside in phases(sample, game.passing):
        places, pairs = draws.permutation(np.flatnonzero(inside))[:SHOWN], []
        for place in places:
            text = Position(othello_discs.counted(game), sample.states[place].copy()).text
            opinions = agent.judge(game.from_text(text), int(place))
            assert opinions is not None
            first = opinions.ranked().moves[0]
            if not first.exact:
                pairs.append((first.value, sample.results[place]))
        if len(pairs) > SHOWN // 2:
            shown, results = np.array(pairs).T
            slope = (shown * results).sum() / (shown * shown).sum()
            cells = (
                f"`{spec}`",
                f"{low}–{min(game.passing, low + PHASE) - 1}",
                f"{len(pairs)}",
                f"{root_mean(results - shown):.1f}",
            )
            print(f"| {' | '.join(cells)} | {slope:.2f} |", flush=True)


def root_mean(numbers: NDArray[np.float64]) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(np.square(numbers))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("make", "measure"))
    parser.add_argument("--size", type=int, choices=PLAYERS, default=8, help="of the board that is measured")
    parser.add_argument("--games", type=int, default=5, help="after each length of opening, to measure with")
    parser.add_argument("--agent", action="append", help="whose values are compared; by default expert and mcts")
    args = parser.parse_args()
    if args.part == "make":
        make()
    else:
        measure(args.size, args.games, args.agent or ["expert", "mcts"])


if __name__ == "__main__":
    main()
