"""The tables at which a list is judged: with one number of seats or several, by itself or among strangers.

A deck decides at which of the tables it is played, so all lists meet the same decks at the same tables.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.hanabi.lists import RULE_LISTS
from ludarium.agents.hanabi.players import read_rules, rule_player
from ludarium.agents.lcs.games import Record, play_list
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.policy import Policy


class Table(NamedTuple):
    """A game, and the name of the published player that has all seats but one; none if it is empty."""

    game: Game
    partner: str = ""


def tables(game: Game, other_seats: str, partners: str) -> tuple[Table, ...]:
    """The tables of a learner; half of them have strangers if there are any.

    Args:
        game: the game that is learned.
        other_seats: further numbers of seats, `"3,4,5"`.
        partners: names of published players, `"piers,iggi"`.

    Raises:
        ValueError: for what is no number of seats, or no name.
    """
    names, games = names_in(partners), [game]
    for name in names:
        if name not in RULE_LISTS:
            raise ValueError(f"lcs: partners must be among {', '.join(RULE_LISTS)}, not {name!r}")
    for seats in names_in(other_seats):
        if seats not in ("2", "3", "4", "5") or int(seats) == game.seats:
            raise ValueError(
                f"lcs: other_seats must be numbers from 2 to 5, without {game.seats}, as in 3,4,5; not {other_seats!r}"
            )
        games.append(Hanabi(seats=int(seats), **own_options(game)))
    alone = [""] * max(len(names), 1)
    return tuple(Table(one, partner) for one in games for partner in (*alone, *names))


def own_options(game: Game) -> dict[str, Any]:
    """The options of a game of Hanabi that do not follow from its number of seats."""
    usual = Hanabi(seats=game.seats).options
    return {name: value for name, value in game.options.items() if value != usual[name]}


def names_in(names: str) -> list[str]:
    """The names in a text, joined by commas."""
    return [name.strip() for name in str(names).split(",") if name.strip()]


def play_at(at: tuple[Table, ...], keys: NDArray[np.uint64], exact: bool, rules: NDArray[Any]) -> Record:
    """Play each deck at its table; see `play_list`."""
    if len(at) == 1:
        return play_list(at[0].game, keys, exact, rules)
    where, scores, records = keys % np.uint64(len(at)), np.zeros(len(keys)), []
    for number, table in enumerate(at):
        some = where == number
        if some.any():
            records.append(play_list(table.game, keys[some], exact, rules, _stranger(*table)))
            scores[some] = records[-1].scores
    return records[0]._replace(
        scores=scores,
        credit=np.sum([record.credit for record in records], axis=0),
        repeats=sum(record.repeats for record in records),
        decisions=sum(record.decisions for record in records),
        sample=max((record.sample for record in records), key=lambda sample: int(sample[0]["known"])),
    )


def _stranger(game: Game, name: str) -> Policy | None:
    """A new one for each call, since players have room of their own and calls may run side by side."""
    return rule_player(game, read_rules(RULE_LISTS[name]), by_age=False) if name else None
