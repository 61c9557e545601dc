"""Where a list is judged: several numbers of seats, and strangers; what runs of them play, and bad input."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.hanabi.lists import RULE_LISTS
from ludarium.agents.lcs.games import FIRED, play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.policy import rule_player
from ludarium.agents.lcs.tables import Table, play_at, tables
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
KEYS = np.array([seed_key(5, deck) for deck in range(60)], dtype=np.uint64)
QUICK: dict[str, Any] = {
    "game": "hanabi?score=points-kept", "population": 4, "decks": 24, "season": 3, "games": 600, "checkpoints": 1,
    "test_games": 20, "origin": "hand",
}  # fmt: skip


@pytest.mark.parametrize("seats", [2, 4])
def test_a_stranger_has_all_other_seats(seats: int) -> None:
    game = make_game(f"hanabi?seats={seats}&score=points-kept")
    partner = rule_player(game, hand_list()[[3, -1]])  # it has no luck to draw on
    record = play_list(game, KEYS, False, hand_list(), partner)
    own = (KEYS >> np.uint64(32)) % np.uint64(seats)
    seating = np.ones((len(KEYS), seats), dtype=np.int64)
    seating[np.arange(len(KEYS)), own.astype(int)] = 0
    played = play_games(game, [rule_player(game, hand_list()), partner], seating, KEYS, KEYS)
    assert (record.scores == played.payoffs[:, 0]).all()
    assert record.credit[:, FIRED].sum() == record.decisions < played.lengths.sum()
    assert record.scores.mean() < play_list(game, KEYS, False, hand_list()).scores.mean() - 3


def test_decks_are_shared_out_among_tables() -> None:
    at = tables(make_game("hanabi?score=points-kept&information_tokens=7"), "3, 5", "piers,vdb")
    assert [(table.game.seats, table.partner) for table in at] == [
        (seats, partner) for seats in (2, 3, 5) for partner in ("", "", "piers", "vdb")
    ]
    assert {table.game.options["information_tokens"] for table in at} == {7}
    assert [table.game.options["hand_size"] for table in at[::4]] == [5, 5, 4]
    two = (Table(GAME), Table(make_game("hanabi?seats=3&score=points-kept")))
    record, where = play_at(two, KEYS, False, hand_list()), KEYS % np.uint64(2)
    apart = [play_list(table.game, KEYS[where == number], False, hand_list()) for number, table in enumerate(two)]
    for number, alone in enumerate(apart):
        assert (record.scores[where == number] == alone.scores).all()
    assert record.credit[:, FIRED].sum() == record.decisions == sum(alone.decisions for alone in apart)
    assert record.repeats == sum(alone.repeats for alone in apart)


def test_a_list_for_several_numbers_of_seats_plays_them_all(tmp_path: Any) -> None:
    run = Run.load(train(Modern(**QUICK, other_seats="3,5"), tmp_path / "run", workers=1), Modern)
    assert run.checkpoint.games <= 600
    for seats, score in ((2, "points-kept"), (3, "zero-on-bomb"), (5, "zero-on-bomb")):
        make_agent(f"lcs:{tmp_path / 'run'}", make_game(f"hanabi?seats={seats}&score={score}"))
    with pytest.raises(ValueError, match="was trained on hanabi"):
        make_agent(f"lcs:{tmp_path / 'run'}", make_game("hanabi?seats=4"))


def test_strangers_are_met_in_training(tmp_path: Any) -> None:
    scores_of_runs = []
    for names in ("", "piers", "piers"):
        folder = tmp_path / str(len(scores_of_runs))
        run = Run.load(train(Modern(**QUICK, partners=names), folder, workers=1 + len(scores_of_runs)), Modern)
        scores_of_runs.append(run.arrays["scores"][:, : run.arrays["progress"][1]])
    best = [scores.mean(axis=1).max() for scores in scores_of_runs]
    assert best[1] < best[0] - 1
    assert (scores_of_runs[1] == scores_of_runs[2]).all()  # by any number of workers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"other_seats": "2"}, "other_seats must be numbers from 2 to 5, without 2, as in 3,4,5; not '2'"),
        ({"other_seats": "3,six"}, "other_seats must be numbers from 2 to 5, without 2, as in 3,4,5; not '3,six'"),
        ({"partners": "piers,anna"}, f"partners must be among {', '.join(RULE_LISTS)}, not 'anna'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Modern(**QUICK | options)
