"""Compare evolved players with others at equal games, over many training seeds; writes `docs/results/comparison.md`.

`--page comparison-othello` compares them on the full board of Othello instead, and writes that page; `--page
comparison-backgammon` in backgammon; `--page comparison-hanabi` in Hanabi, where players form teams, by themselves and
every two of them together.

Every learner that plays trains on the same number of games, once for each seed; those of Stable-Baselines3 make as many
decisions as one seat has in that many games. The players of each seed meet in a tournament of their own, together with
`random`, `greedy`, Monte Carlo tree search, and others that a page names. Prints means over training seeds, ± half of
their 95 % interval (Student's t); with one seed, of that over pairs of games.

Everything is kept under `runs/PAGE`: a folder for each learner and seed with one run per game, and a store for each
seed. So the command may be stopped at any time, and resumes where it stopped. `--learners` trains only some of the
learners, and plays no tournament. `--quick` trains on a fifth of the games with two seeds, in `runs/PAGE-quick`, and
writes no page.
"""

import argparse
import json
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ludarium.agents.learning.checkpoint import file_name
from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.run import train
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import random_games
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.report import write_curves
from ludarium.evaluation.statistics.intervals import mean_interval
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.figures import plus_minus
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.standings import Row, Table, tables
from ludarium.evaluation.tournament.store import Store

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "connect_four.py"
os.environ["LUDARIUM_GAMES"] = os.pathsep.join(filter(None, (os.environ.get("LUDARIUM_GAMES"), str(EXAMPLE))))

GAMES = {  # training games, random moves at the start of the tournaments' games
    "hexapawn?rows=4&columns=4": (5_000, 2),
    "tictactoe": (10_000, 1),
    "othello?size=4": (5_000, 2),
    "othello?size=6": (5_000, 4),
    "connect_four": (5_000, 4),
    "othello": (20_000, 8),
    "backgammon": (8_000, 0),
    "hanabi?score=points-kept": (10_000, 0),
}
EXACT = ("hexapawn?rows=4&columns=4", "tictactoe", "othello?size=4")
SEEDS = 10
OTHERS = ("random", "greedy", "mcts?simulations=100")
INTRODUCTION = """\
Written by `python benchmarks/evolved.py --page {page} --seeds {seeds}`: {seeds} training seed{s} from 0.
The players of a seed meet in their own tournament, with {meetings}. {spread}
{learned} {stock} made as many decisions as one seat has in that many {games}. {note}"""
TITLE = "Evolved players beside others, at equal games"
LEARNED = "Every learner trained on the same number of games;"
SPREAD = (
    "± is half of the 95 % interval over training seeds, so it shows what to expect of another seed's player, not only "
    "of these."
)
ONE_SEED = (
    "± is half of the 95 % interval over pairs of games. It is about these players: one seed does not tell what to "
    "expect of another one's."
)
PAIRS = "{:,} pairs of games in each pairing"
OPENINGS = ", which begin with a few random moves"
TEAMS = "{:,} decks, the same for every team: once for a player by itself, twice for two together, in both orders"
EXACT_NOTE = "NashConv, where it is given, is exact: 0 is optimal play from both seats."
BACKGAMMON_LEARNED = (
    "Games are equal for the learners that play, `td` and MaskablePPO, and for them alone: `gengammon` plays none, but "
    "learns from recorded decisions, those of experts in 8,231 games that come with the package;"
)
BACKGAMMON_NOTE = (
    "`greedy` is pubeval, `bgsage` an engine at its lowest level, and `expert` was distilled from that engine. The "
    "score is the share of games won; points count gammons, too."
)
HANABI_NOTE = (
    "Their partners were themselves. `tabular-q` and `td` refuse games with hidden information. `lcs-random` began "
    "with random rules, `lcs-hand` with the list written by hand. Both are small runs, of 8 players judged by up to "
    "100 decks, and stop before a generation that might exceed their games; [its "
    "page](../learners/lcs-strength.md#what-it-reaches) has the written list by itself, and runs of 60 and 100 times "
    "as many games; the list of `expert` was chosen among such. `greedy` is Piers with the oldest card first."
)
DOCS = Path("docs/results")
PICTURES = DOCS / "curves"


@dataclass(frozen=True)
class Entrant:
    """A learner: its name in specs, and its options for a game, a number of games and a seed."""

    kind: str
    config: Callable[[str, int, int], Any]


def own(kind: str, preset: str = "", **others: Any) -> Entrant:
    """A learner of this package."""

    def config(game: str, games: int, seed: int) -> Any:
        options = {"game": game, "games": games, "seed": seed, **others}
        learner = learner_presets(kind)
        return learner.learner(options, preset)

    return Entrant(kind, config)


def gengammon() -> Entrant:
    """A network that learns from the decisions that come with the package, in place of games."""

    def config(game: str, games: int, seed: int) -> Any:
        return learner_presets("gengammon").learner({"game": game, "seed": seed}, "modern")

    return Entrant("gengammon", config)


def stock(algorithm: str) -> Entrant:
    """An algorithm of Stable-Baselines3 with one seat's share of the decisions in that many random games.

    In a team, its partner is itself, and the games are as long as those of `greedy`: random ones soon lose all lives.
    """

    def config(game: str, games: int, seed: int) -> Any:
        rules = make_game(game)
        if rules.cooperative:
            decisions, partner = play_match(rules, ["greedy"], 1000, 0).decisions, ITSELF
        else:
            decisions, partner = random_games(rules, 1000, 0)[1], {}
        options = {"game": game, "steps": round(games * decisions / 1000 / 2), "seed": seed, **partner}
        return learner_presets("sb3").learner(options, variant=algorithm)

    return Entrant("sb3", config)


ITSELF: dict[str, Any] = {"opponent": "self", "pool": 1, "snapshot_every": 1}
"""Options of a learner of Stable-Baselines3 whose partner is its latest self."""
SMALL_LCS = {"population": 8, "founders": 40, "decks": 100}
"""A generation of the preset's own size might take more games than the page has."""
OTHER_LEARNERS = {
    "tabular-q": own("tabular-q"),
    "td": own("td"),
    "maskable-ppo": stock("maskable-ppo"),
}


@dataclass(frozen=True)
class Page:
    """A page: its games, the learners that play them, others who do, pairs of games, and what its text says."""

    games: tuple[str, ...]
    entrants: Mapping[str, Entrant]
    others: tuple[str, ...] = OTHERS
    pairs: int = 25
    note: str = ""
    title: str = TITLE
    learned: str = LEARNED

    @property
    def teams(self) -> bool:
        """Whether the players of its games form teams."""
        return make_game(self.games[0]).cooperative


PAGES = {
    "comparison": Page(
        tuple(GAMES)[:5],
        {
            "ifthen-seed": own("ifthen", "seed"),
            "ifthen-modern": own("ifthen", "modern"),
            "ifthen-single": own("ifthen", "single"),
            "gaia-seed": own("gaia", "seed"),
            "gaia-modern": own("gaia", "modern"),
            **OTHER_LEARNERS,
        },
        note=EXACT_NOTE,
    ),
    "comparison-othello": Page(
        ("othello",),
        {
            "minimax-tuples": own("minimax", "tuples", tuples="4+2x2"),
            "minimax-six": own("minimax", "modern", features="six"),
            **OTHER_LEARNERS,
        },
    ),
    "comparison-backgammon": Page(
        ("backgammon",),
        {
            "gengammon-modern": gengammon(),
            "td": own("td", hidden=80),
            "maskable-ppo": OTHER_LEARNERS["maskable-ppo"],
        },
        ("random", "greedy", "mcts?simulations=20", "bgsage", "expert"),
        1000,
        BACKGAMMON_NOTE,
        "Evolved players beside others in backgammon",
        BACKGAMMON_LEARNED,
    ),
    "comparison-hanabi": Page(
        ("hanabi?score=points-kept",),
        {
            "lcs-random": own("lcs", "modern", **SMALL_LCS),
            "lcs-hand": own("lcs", "modern", origin="hand", **SMALL_LCS),
            **{algorithm: stock(algorithm) for algorithm in ("maskable-ppo", "ppo", "dqn", "a2c")},
        },
        ("random", "greedy", "hanabi-rules?name=piers", "hanabi-rules?name=iggi", "expert"),
        1000,
        HANABI_NOTE,
    ),
}


def train_all(page: Page, folder: Path, names: Iterable[str], seeds: int, share: float) -> None:
    """Train all players not trained yet, and store the processor time of each run in its folder."""
    for seed in range(seeds):
        for name in names:
            for game in page.games:
                out = folder / name / str(seed) / file_name(game)
                clock = out / "seconds.json"
                if clock.exists():
                    continue
                print(f"{time.strftime('%H:%M:%S')} {name}, seed {seed}: {game}", file=sys.stderr, flush=True)
                started = time.process_time()
                train(page.entrants[name].config(game, round(GAMES[game][0] * share), seed), out, workers=1)
                clock.write_text(json.dumps(time.process_time() - started), encoding="utf-8")


def agents(page: Page, folder: Path, seed: int) -> dict[str, str]:
    """The specs of the players of one seed, by learner."""
    return {name: f"{entrant.kind}:{folder / name / str(seed)}" for name, entrant in page.entrants.items()}


def play(page: Page, folder: Path, seed: int, pairs: int) -> list[Table]:
    """Play the remaining games of a seed's tournament, and return its tables by game."""
    entries = tuple(GameEntry(game, pairs, GAMES[game][1], crossplay=page.teams) for game in page.games)
    specs = (*page.others, *agents(page, folder, seed).values())
    tournament = Tournament(specs, entries, name=f"players of seed {seed}", seed=seed)
    with Store(folder / f"tournament-{seed}.db", tournament.data()) as store:
        state = run(tournament, store)
        return tables(tournament, store.games(), state)


def pm(intervals: list[tuple[float, float]], scale: float, digits: int) -> str:
    """The mean over seeds ± half its interval, as text, given each seed's mean and its margin over pairs of games.

    One seed's interval is that over its games.
    """
    means = [scale * mean for mean, _ in intervals]
    mean, half = mean_interval(means) if len(means) > 1 else (means[0], scale * intervals[0][1])
    return plus_minus(mean, half, digits)


class Results:
    """What the players of all seeds did in one game.

    Attributes:
        players: learners and others by name, the best first.
    """

    def __init__(self, page: Page, folder: Path, event: int, played: list[list[Table]]) -> None:
        self._rows = [{row.agent: row for row in tables[event].rows} for tables in played]
        others = {other: other for other in page.others}
        self._specs = [others | agents(page, folder, seed) for seed in range(len(played))]
        self.players = sorted(self._specs[0], key=lambda name: -sum(row.score for row in self.rows(name)))

    def specs(self, name: str) -> list[str]:
        """A player's spec, seed by seed."""
        return [specs[name] for specs in self._specs]

    def rows(self, name: str) -> list[Row]:
        """A player's row of the table, seed by seed."""
        return [rows[spec] for rows, spec in zip(self._rows, self.specs(name), strict=True)]

    def score(self, name: str) -> list[tuple[float, float]]:
        """A player's score and its margin, seed by seed."""
        return [(row.score, row.margin) for row in self.rows(name)]

    def points(self, name: str) -> list[tuple[float, float]]:
        """A player's points a game and their margin, seed by seed."""
        return [(row.points, row.points_margin) for row in self.rows(name)]

    def met(self, name: str, other: str) -> list[tuple[float, float]]:
        """A player's score against another one, or together with it, and its margin, seed by seed."""
        pairs = zip(self.rows(name), self.specs(other), strict=True)
        return [(row.against[spec], row.against_margins[spec]) for row, spec in pairs]

    def with_others(self, name: str) -> list[tuple[float, float]]:
        """The mean of a player's scores together with the others, seed by seed; their decks are the same.

        So errors do not average out, and the margin is the mean of the margins, at most.
        """
        return [(mean(row.against.values()), mean(row.against_margins.values())) for row in self.rows(name)]


def game_section(page: Page, folder: Path, event: int, played: list[list[Table]]) -> str:
    """The section about one game."""
    game, results = page.games[event], Results(page, folder, event, played)
    exact, stakes = game in EXACT, make_game(game).payoff_range != (-1, 1)
    lines = [
        heading(game),
        f"| | score, % |{' points |' if stakes else ''} v {' | v '.join(f'`{other}`' for other in page.others)} |"
        f"{' NashConv |' if exact else ''} CPU, s |",
        "|---" * (3 + len(page.others) + exact + stakes) + "|",
    ]
    for name in results.players:
        cells = [shown(page, name), pm(results.score(name), 100, 1)]
        cells += [pm(results.points(name), 1, 2)] * stakes
        cells += [pm(results.met(name, other), 100, 0) if name != other else "" for other in page.others]
        if exact:
            agents = (
                [make_agent(spec, make_game(game)) for spec in results.specs(name)] if name in page.entrants else []
            )
            nash = [(measure(make_game(game), agent).nash_conv, 0.0) for agent in agents]  # it is exact
            cells.append(pm(nash, 1, 2) if agents else "")
        cells.append(seconds(page, folder, name, game, len(played)))
        lines.append("| " + " | ".join(cells) + " |")
    learned = [name for name in results.players if name in page.entrants]
    lines += ["", f"| row v column, % | {' | '.join(learned)} |", "|---" * (1 + len(learned)) + "|"]
    for name in learned:
        cells = [pm(results.met(name, other), 100, 0) if name != other else "" for other in learned]
        lines.append(f"| **{name}** | {' | '.join(cells)} |")
    return "\n".join(lines)


def team_section(page: Page, folder: Path, event: int, played: list[list[Table]]) -> str:
    """The section about one game in which players form teams: points, not shares of wins."""
    game, results = page.games[event], Results(page, folder, event, played)
    lines = [heading(game), "| points | by itself | with the others, mean | CPU, s |", "|---" * 4 + "|"]
    for name in results.players:
        cells = [shown(page, name), pm(results.score(name), 1, 2), pm(results.with_others(name), 1, 2)]
        cells.append(seconds(page, folder, name, game, len(played)))
        lines.append("| " + " | ".join(cells) + " |")
    names = [shown(page, name) for name in results.players]
    lines += ["", f"| points of row and column as a team | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for name in results.players:
        scores = {other: results.met(name, other) for other in results.players if other != name}
        scores[name] = results.score(name)
        lines.append(f"| {shown(page, name)} | {' | '.join(pm(scores[other], 1, 1) for other in results.players)} |")
    return "\n".join(lines)


def heading(game: str) -> str:
    """The title of a game's section."""
    return f"## {game}, {GAMES[game][0]:,} training games\n"


def shown(page: Page, name: str) -> str:
    """A player's name as the page shows it, learners in bold."""
    return f"**{name}**" if name in page.entrants else f"`{name}`"


def seconds(page: Page, folder: Path, name: str, game: str, seeds: int) -> str:
    """The mean processor time of a learner's run over all seeds, in seconds; nothing for others."""
    if name not in page.entrants:
        return ""
    files = (folder / name / str(seed) / file_name(game) / "seconds.json" for seed in range(seeds))
    return f"{sum(json.loads(file.read_text(encoding='utf-8')) for file in files) / seeds:.0f}"


def document(name: str, page: Page, folder: Path, played: list[list[Table]]) -> str:
    """The whole page as Markdown."""
    introduction = INTRODUCTION.format(
        page=name,
        seeds=len(played),
        s="s" if len(played) > 1 else "",
        meetings=meetings(page, played[0][0].rows[0].games),
        spread=SPREAD if len(played) > 1 else ONE_SEED,
        stock="those of Stable-Baselines3" if "ppo" in page.entrants else "MaskablePPO",
        games="games of `greedy`" if page.teams else "random games",
        learned=page.learned,
        note=page.note,
    )
    section = team_section if page.teams else game_section
    sections = [section(page, folder, event, played) for event in range(len(page.games))]
    measured = "share of the points" if page.teams else "score against random"
    own_decisions = "Stable-Baselines3, their own" if "ppo" in page.entrants else "MaskablePPO, its own"
    pictures = " ".join(f"![{game}: {measured}]({PICTURES.name}/{file_name(game)}.svg)" for game in page.games)
    share = "a team's share of the points, " if page.teams else ""
    return (
        f"# {page.title}\n\n"
        + textwrap.fill(introduction, 120, break_on_hyphens=False)
        + "\n\n"
        + "\n\n".join(sections)
        + "\n\n## How they learned\n\n"
        + f"Seed 0, {share}by decisions in the training games (of {own_decisions}):\n\n"
        + pictures
        + "\n"
    )


def meetings(page: Page, games: int) -> str:
    """What the players of a seed meet in, given the number of games in a row of the table."""
    if page.teams:
        return TEAMS.format(games)
    opponents = len(page.others) + len(page.entrants) - 1
    return PAIRS.format(games // (2 * opponents)) + (OPENINGS if GAMES[page.games[0]][1] else "")


def main() -> None:
    """Train, play and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", choices=PAGES, default="comparison")
    parser.add_argument("--quick", action="store_true", help="less of everything, and write no page")
    parser.add_argument("--learners", nargs="*", help="only train these")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="the number of training seeds, from 0")
    arguments = parser.parse_args()
    quick, page = arguments.quick, PAGES[arguments.page]
    if unknown := set(arguments.learners or ()) - set(page.entrants):
        parser.error(f"--learners must be among {', '.join(page.entrants)}, not {', '.join(unknown)}")
    folder = Path("runs") / (f"{arguments.page}-quick" if quick else arguments.page)
    seeds = 2 if quick else arguments.seeds
    train_all(page, folder, arguments.learners or page.entrants, seeds, 0.2 if quick else 1.0)
    if arguments.learners:
        return
    played = [play(page, folder, seed, max(4, page.pairs // 20) if quick else page.pairs) for seed in range(seeds)]
    text = document(arguments.page, page, folder, played)
    for game in page.games:
        write_curves(agents(page, folder, 0), game, (folder if quick else PICTURES) / f"{file_name(game)}.svg")
    if not quick:
        (DOCS / f"{arguments.page}.md").write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
