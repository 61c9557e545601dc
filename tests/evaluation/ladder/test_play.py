"""Rating agents: of any kind, the same on any workers, and honest about what they do wrong."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import ludarium
from ludarium.agents import Agent
from ludarium.envs import make_game
from ludarium.evaluation.ladder import play
from ludarium.evaluation.ladder.play import batch_size
from ludarium.evaluation.ladder.result import Against, Opening, Rating
from ludarium.evaluation.ladder.rungs import ladder_of
from ludarium.evaluation.tournament.store import GameRow

BOT = "def clever(observation, action_mask, info):\n    return int(action_mask.argmax())\n"


def first_legal(observation, action_mask, info):
    return int(action_mask.argmax())


class Afraid(Agent):
    """Plays at random, and gives up where the game began in the centre."""

    needs_state = True

    def reset(self, seat, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, observation, action_mask, info):
        if info["history"][0] == 4:
            raise RuntimeError("not the centre")
        return int(self.rng.choice(np.flatnonzero(action_mask)))


def test_a_player_of_the_ladder_is_rated_as_it_stands_there():
    rating = ludarium.rate("mcts?simulations=8", game="tictactoe", games=1000)
    (rung,) = [rung for rung in rating.rungs if rung.name == "MCTS 8"]
    assert abs(rating.rating - rung.rating) < 1.5 * rating.margin
    assert rating.margin < 25
    assert rating.games == 1000 == sum(rung.games for rung in rating.rungs)
    assert rating.interval[0] < rating.rating < rating.interval[1]
    below, above = rating.between
    names = [rung.name for rung in rating.rungs]
    assert names.index(above) == names.index(below) + 1
    assert [rung.rating <= rating.rating for rung in rating.rungs] == sorted(
        (rung.rating <= rating.rating for rung in rating.rungs), reverse=True
    )
    assert rung.expected == pytest.approx(1 / (1 + 10 ** ((rung.rating - rating.rating) / 400)))
    points = sum(rung.score * rung.games for rung in rating.rungs if rung.games)
    assert sum(rating.seats.values()) / 2 == pytest.approx(points / rating.games)


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        ((650.0, 755.0), "700 ± 52 Elo, where random play is 0; between weak and strong"),
        ((600.0, 1500.0), "700 (95 %: 600 to 1500) Elo, where random play is 0; between weak and strong"),
    ],
)
def test_a_rating_has_one_margin_unless_its_sides_differ(interval, told):
    rungs = Against("weak", 300.0, 0.9, None, 0), Against("strong", 800.0, 0.4, 0.25, 8)
    rating = Rating(make_game("tictactoe"), "mine", 700.0, interval, rungs, 8, 0, 2.0)
    assert repr(rating) == f"<Rating tictactoe: mine has {told}>"
    assert str(rating).splitlines()[2:] == [
        "          Elo  expected %  scored %  games",
        "  strong  800        40.0      25.0      8",
        "→ mine    700",
        "  weak    300        90.0         –      0",
        "",
        "8 games in 2 s; seed 0",
    ]
    assert rating.error == pytest.approx((interval[1] - interval[0]) / 2 / 1.96, rel=1e-4)


@pytest.mark.parametrize(
    ("rating", "place", "ladder"),
    [
        (299.0, "below weak", ["strong", "middle", "weak", "mine"]),
        (300.0, "between weak and middle", ["strong", "middle", "mine", "weak"]),
        (799.0, "between middle and strong", ["strong", "mine", "middle", "weak"]),
        (800.0, "above strong", ["mine", "strong", "middle", "weak"]),
    ],
)
def test_where_a_rating_stands(rating, place, ladder):
    """With all that there may be to say of it, in a terminal and in a notebook."""
    rungs = [Against(name, elo, 0.5, None, 0) for name, elo in (("weak", 300.0), ("middle", 500.0), ("strong", 800.0))]
    openings = tuple(Opening(f"a{number}", -number / 100, 20) for number in range(65, 59, -1))
    forfeits = {f"cause {number}": number for number in range(1, 7)}
    result = Rating(
        make_game("tictactoe"), "mine", rating, (rating - 9, rating + 9), tuple(rungs), 1200, 7, 0.5,
        {"x": 0.7, "o": 0.4}, openings, forfeits,
    )  # fmt: skip
    verdict, _, _, *lines = str(result).splitlines()
    assert verdict == f"tictactoe: mine has {rating:.0f} ± 9 Elo, where random play is 0; {place}"
    assert [line.strip("→ ").split()[0] for line in lines[:4]] == ladder
    told = [
        "as x it scores 70.0 %, its opponents 60.0 %; as o 40.0 %, and they 30.0 %",
        "worst openings, against the mean of all: a65 (-65 %), a64 (-64 %), a63 (-63 %), a62 (-62 %), a61 (-61 %)",
        *(f"{number} × mine forfeited: cause {number}" for number in range(6, 1, -1)),
        "1,200 games in 500 ms; seed 7",
    ]
    assert lines[5:] == told
    assert result._repr_html_().startswith(f"<p>{verdict}</p><table><caption>the ladder of tictactoe</caption>")
    assert result._repr_html_().endswith("".join(f"<p>{line}</p>" for line in told))


def climber(rows):
    """An agent on the ladder of tic-tac-toe, where half of the points are expected, with games by rung."""
    game = make_game("tictactoe")
    opponent = play._Opponent("greedy", game, ladder_of(game), 0)
    opponent.climb.estimate.scores[:], opponent.rows = 0.5, rows
    return opponent


def game_row(number, payoff, *moves):
    return GameRow(0, 0, 1, number // 2, number % 2, payoff, -payoff, 0, "", bytes(moves))


@pytest.mark.parametrize(
    ("games", "won", "named"),
    [(20, 10, False), (20, 4, True), (19, 4, False), (20, 0, True), (100, 36, False), (100, 35, True)],
)
def test_openings_are_named_where_it_surely_does_worse(games, won, named):
    """Won or lost: three standard errors are 3 · √(p (1 − p) / games)."""
    lost = [game_row(n, 1.0 if n < won else -1.0, 4, n % 3) for n in range(games)]
    drawn = [game_row(n, 0.0, 0, 4) for n in range(games)]
    (*openings,) = climber({0: drawn, 2: lost})._openings()
    assert openings == ([Opening("b2", pytest.approx(won / games - 0.5), games)] if named else [])


def test_every_rung_has_a_seed_of_its_own_and_more_pairs_come_after_those_that_were_played(monkeypatch):
    told, opponent = [], climber({})
    monkeypatch.setattr(play, "play", lambda event, *others, **options: told.append((event.seed, event.games[0])))
    opponent.tournament = replace(opponent.tournament, seed=5)
    with opponent.closing:
        for rung, pairs in ((0, 8), (3, 8)):
            opponent.play(rung, pairs, None, True)
        opponent.rows[3] = [game_row(number, 1.0) for number in range(16)]
        opponent._stores.pop(3)
        opponent.play(3, 2, None, True)
    many = len(opponent.ladder.rungs)
    assert [seed for seed, _ in told] == [5 * many, 5 * many + 3, 5 * many + 3]
    assert [(entry.pairs, entry.agents[1]) for _, entry in told] == [(8, "rung 1"), (8, "rung 4"), (10, "rung 4")]


def test_each_seat_has_its_score():
    rows = {
        rung: [game_row(0, 1.0), game_row(1, -1.0), game_row(2, last), game_row(3, -1.0)]
        for rung, last in ((0, 0.0), (3, 1.0))
    }
    assert climber(rows)._seats() == {"x": 0.875, "o": 0.0}


def test_the_number_of_workers_and_the_clock_change_nothing():
    first, second = (ludarium.rate("greedy", game="hexapawn", games=301, seed=5, workers=n, time=n) for n in (1, 3))
    assert {**first.data(), "seconds": 0} == {**second.data(), "seconds": 0}
    assert first.games == 302
    assert ludarium.rate("greedy", game="hexapawn", games=301, seed=6).rating != first.rating


def test_it_ends_when_the_time_is_up():
    assert ludarium.rate("random", game="tictactoe", time=1e-6).games == 16  # the first batch


def test_a_batch_has_as_many_pairs_as_there_is_time_for(monkeypatch):
    """Eight seconds a batch: the first eight pairs take one second each, and so do the next; four more are possible."""
    now = iter(range(0, 1000, 8))
    monkeypatch.setattr(play, "clock", SimpleNamespace(perf_counter=lambda: next(now)))
    shares = []
    rating = ludarium.rate("random", game="tictactoe", time=20, workers=1, progress=shares.append)
    assert (rating.games, rating.seconds, shares) == (2 * (8 + 8 + 4), 24, [0.4, 0.8])


@pytest.mark.parametrize(("played", "left", "size"), [(0, 100, 8), (80, 100, 10), (80, 3, 3)])
def test_batches_grow_with_the_games(played, left, size):
    assert batch_size(played, left) == size


def test_as_many_games_as_asked_for_are_played_in_whole_pairs():
    """After the first batch of eight pairs one is left."""
    assert ludarium.rate(first_legal, game="tictactoe", games=17, seed=1).games == 18


def test_objects_play_here_and_have_names():
    shares = []
    rating = ludarium.rate({"mine": first_legal}, game="tictactoe", games=40, seed=1, progress=shares.append)
    assert (rating.agent, rating.games, rating.forfeits, shares) == ("mine", 40, {}, [0.4, 0.8])
    assert ludarium.rate(first_legal, game="tictactoe", games=40, seed=1).rating == rating.rating


def test_objects_need_importable_names_on_workers():
    with pytest.raises(ValueError, match="the agent 'nameless' has no importable name"):
        ludarium.rate({"nameless": lambda *given: 0}, game="tictactoe", games=2, workers=2)


def test_an_agent_that_fails_loses_these_games_and_the_opening_is_named():
    rating = ludarium.rate(Afraid(), game="tictactoe", games=800, seed=1)
    assert rating.forfeits == {"raised RuntimeError('not the centre')": pytest.approx(800 / 9, abs=40)}
    assert rating.openings[0].moves == "b2"
    assert rating.openings[0].beyond < -0.1
    assert "forfeited: raised RuntimeError('not the centre')" in str(rating)
    assert "worst openings, against the mean of all: b2" in str(rating)


def test_a_team_has_points():
    rating = ludarium.rate("hanabi-rules?name=internal", game="hanabi", games=200)
    rung = next(rung for rung in rating.rungs if rung.name == "Internal")
    assert abs(rating.rating - rung.rating) < 1.5 * rating.margin < 1
    assert (rating.games, rating.seats, rung.expected, rung.games) == (200, {}, None, 0)
    assert str(rating).startswith(
        f"hanabi: hanabi-rules?name=internal has {rating.rating:.2f} ± {rating.margin:.2f} points"
    )
    assert ["  Internal", f"{rung.rating:.2f}"] in [line.rsplit(maxsplit=1) for line in str(rating).splitlines()]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"time": 0.0}, "time must be a positive number of seconds"),
        ({"agent": {"a": "random", "b": "greedy"}}, "expected one agent"),
        ({"game": "tictactoe?rows=4"}, "has no ladder"),
        ({"agent": "alphabeta", "game": "hanabi"}, "hanabi"),
    ],
)
def test_what_cannot_be_rated_is_refused(options, why):
    with pytest.raises(ValueError, match=why):
        ludarium.rate(options.pop("agent", "random"), **{"game": "tictactoe", **options})


def test_one_game_and_a_moment_are_enough_to_ask_for(monkeypatch):
    monkeypatch.setattr(play, "place", lambda agent, game, ladder, time, games, seed, **options: (time, games))
    assert ludarium.rate("random", game="tictactoe", games=1, time=1e-9) == (1e-9, 1)


def test_the_command_rates_and_keeps(output, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ("rate", "greedy", "tictactoe", "--games", 32, "--seed", 1, "--name", "clever")
    text = output(*given, "--keep", "mine", "--ladder", "my.json")
    assert text.startswith("tictactoe: clever has ")
    assert text.endswith("mine is a rung of my.json now: --ladder my.json\n")
    (rung,) = json.loads((tmp_path / "my.json").read_text())["games"]["tictactoe"]
    ours = ludarium.rate({"clever": "greedy"}, game="tictactoe", games=32, seed=1)
    assert (rung["name"], rung["agent"], rung["games"]) == ("mine", "greedy", 32)
    assert rung["rating"] == ours.rating
    data = json.loads(output("rate", "random", "tictactoe", "--games", 64, "--ladder", "my.json", "--json"))
    assert (data["unit"], data["games"], data["seed"]) == ("elo", 64, 0)
    assert "mine" in [rung["name"] for rung in data["rungs"]]
    assert refused(*given, "--keep", "mine") == "--keep mine needs --ladder FILE, which it is to be kept in"
    assert refused(*given, "--ladder", "none.json") == "there is no file none.json"
    assert "has a rung called 'random' already; give another name" in refused(
        *given, "--keep", "random", "--ladder", "my.json"
    )


def test_code_of_others_meets_a_secret_seed(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    text = output("rate", "bot.py", "tictactoe", "--games", 8, "--workers", 1)
    assert text.endswith("the seed was secret; with --games, the same games again by this seed\n")
