"""What there is to choose from: games with their options, agents with theirs, and trained runs."""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ludarium.agents.learning.checkpoint import is_kept, learner_in
from ludarium.agents.specs import agent_names, agent_options, refusal
from ludarium.envs.chance import seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.game import Game
from ludarium.envs.options import Option
from ludarium.envs.registry import game_names, make_game
from ludarium.evaluation.inspection.runs import find_run
from ludarium.evaluation.table.refusal import Refusal

_MANIFEST = "checkpoint.json"
_MOST_RUNS, _MOST_MEMBERS = 200, 100
_PICTURE_SEED = 3  # which game a picture shows


def games() -> list[dict[str, Any]]:
    """The games with their options, those that can be loaded."""
    games = []
    for name in game_names():
        try:
            game = make_game(name)
        except Exception:  # a broken plug-in must not hide the others; `ludarium games` says what is wrong with it
            continue
        games.append(
            {
                "name": name,
                "title": game.title or name,
                "seats": game.seats,
                "seat_names": [*game.seat_names],
                "hidden": game.hidden_information,
                "cooperative": game.cooperative,
                "options": [_option(key, option) for key, option in game.option_types.items()],
            }
        )
    return games


def _option(name: str, option: Option) -> dict[str, Any]:
    """An option as a form shows it."""
    data: dict[str, Any] = {"name": name, "default": option.default, "help": option.help}
    if option.choices:
        return data | {"choices": list(option.choices)}
    return data if isinstance(option.default, bool) else data | {"low": option.low, "high": option.high}


def _game(spec: str) -> Game:
    try:
        return make_game(spec)
    except (ValueError, TypeError) as error:
        raise Refusal(f"{error}", 404) from None


def picture(spec: str) -> str:
    """A game in a picture: one in full swing.

    Raises:
        Refusal: if there is no such game.
    """
    game = _game(spec)
    episode, plies = Episode(game, seed_key(_PICTURE_SEED), None, []), []
    stop = 4 if game.max_moves < 20 else 12
    while episode.turn >= 0 and episode.plies < stop:
        legal = episode.position.legal_actions()
        plies.append(legal[(7 * episode.plies + 3) % len(legal)])
        episode.play(plies[-1])
    return game.draw(episode.position).svg()


def agents(spec: str) -> list[dict[str, Any]]:
    """The agents that play a game, by name, with their options and defaults.

    Raises:
        Refusal: if there is no such game.
    """
    game, agents = _game(spec), []
    for name in agent_names():
        try:
            options = agent_options(name)
        except Exception:  # as for games; also those whose library is not installed
            continue
        if refusal(name, game):
            continue
        agents.append({"name": name, "options": [{"name": key, "default": value} for key, value in options.items()]})
    return agents


def prepare() -> None:
    """Load what the lobby shows, so that the first page need not wait for it."""
    for game in games():
        agents(game["name"])
        with contextlib.suppress(Exception):  # of a plug-in; the page leaves its picture out
            picture(game["name"])


def run_folders(folder: Path) -> list[str]:
    """The runs in a folder and below it, by path, without the checkpoints that they have kept."""
    folders = (path.parent for path in sorted(folder.rglob(_MANIFEST))) if folder.is_dir() else ()
    runs = (path for path in folders if not is_kept(path))
    return [str(path) for path, _ in zip(runs, range(_MOST_RUNS), strict=False)]


def runs(folders: Iterable[str], spec: str) -> list[dict[str, Any]]:
    """The runs whose players play a game, with the agents they hold: the champion and, of a population, its members.

    Raises:
        Refusal: if there is no such game.
    """
    game, runs = _game(spec), []
    for folder in folders:
        try:
            run, _ = find_run(f"{learner_in(Path(folder))}:{folder}")
            if not run.learner.plays(game):
                continue
            merits = run.merits()[:_MOST_MEMBERS]
        except Exception:  # damaged, or of a learner that is not installed
            continue
        members = [{"spec": run.spec(place), "merit": merit} for place, merit in enumerate(merits)]
        runs.append({"folder": folder, "learner": run.learner.name, "game": run.game.spec, "members": members})
    return runs
