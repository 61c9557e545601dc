"""The games of each two entrants that a report lists, and those that it shows: of the best, and upsets."""

import re

import pytest

from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report import content, write_report
from ludarium.evaluation.report import meetings as module
from ludarium.evaluation.report.content import read_store, summarise
from ludarium.evaluation.report.meetings import choose, meetings, samples
from ludarium.evaluation.report.replay import key_text
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.store import GameRow

PAIRS = 20
THREE = Tournament(("c", "a", "b"), (GameEntry("tictactoe", PAIRS),))
C, A, B = range(3)


def games(row, a, b, *payoffs):
    """As in `test_answer`; game n has 5 + n moves."""
    return [row(a, b, n // 2, n % 2, payoffs[n % len(payoffs)], moves=bytes(5 + n)) for n in range(2 * PAIRS)]


@pytest.fixture
def played(row):
    """a is clearly better than b, and b than c; each loses now and then."""
    rows = games(row, C, A, *[-1] * 18, 1, -1) + games(row, C, B, *[-1, 0, -1, 1] * 2, -1, -1)
    rows += games(row, A, B, *[1, 1, 1, -1] * 2, 1, 1)
    (game,) = summarise(THREE, rows).games
    assert [line.agent for line in game.table.rows] == ["a", "b", "c"]
    return game


def test_the_longest_games_of_the_best_take_turns_with_the_first_of_the_greatest_upsets(played):
    shown = [(one.reason, key_text(one.row)) for one in samples(THREE, played)]
    a, b, c = played.ratings.elo
    assert b - c < a - b < a - c
    assert shown == [
        ("the first against the second", "0:1:2:19:1"),
        (f"an upset, {a - c:.0f} Elo apart", "0:0:1:9:0"),
        ("the first against the third", "0:0:1:19:1"),
        (f"an upset, {a - b:.0f} Elo apart", "0:1:2:1:1"),
        ("the second against the third", "0:0:2:19:1"),
        (f"an upset, {b - c:.0f} Elo apart", "0:0:2:1:1"),
    ]


def test_of_the_best_two_the_longest_game_that_the_better_one_won_at_the_board_is_shown(row):
    """Of games 36 to 39 it won 36 and 37, drew 38 and lost 39."""

    def shown(rows):
        (game,) = summarise(THREE, rows).games
        return key_text(next(samples(THREE, game)).row)

    rows = games(row, A, B, 1, 1, 0, -1)
    assert shown(rows) == "0:1:2:18:1"
    rows[37] = rows[37]._replace(ending=FORFEIT, cause="hung")
    rows[36] = rows[36]._replace(ending=FORFEIT + 1, cause="hung")
    assert shown(rows) == "0:1:2:16:1"
    assert shown(games(row, A, B, 0)) == "0:1:2:19:1"  # it won none


def test_no_upset_is_by_forfeit_or_between_equals(row):
    rows = games(row, C, A, -1)
    rows[3] = rows[3]._replace(payoff_a=1.0, payoff_b=-1.0, ending=FORFEIT, cause="hung")
    rows += games(row, A, B, 1, -1)
    (game,) = summarise(THREE, rows).games
    assert not [one.reason for one in samples(THREE, game) if "upset" in one.reason]


def test_teams_at_their_best_and_the_cards_that_others_played_better(monkeypatch):
    monkeypatch.setattr(content, "count", lambda *_: [])  # nobody has played these games
    event = Tournament(("low", "high", "next", "never"), (GameEntry("hanabi", 5, crossplay=True),))
    scores = (3, 9, 20, 4, 5), (20, 8, 7, 24, 24), (19, 9, 7, 24, 23), (20, 1, 2, 2, 2)
    rows = [
        GameRow(0, team, team, deck, 0, float(score), float(score), 0, "", b"")
        for team, of_decks in enumerate(scores)
        for deck, score in enumerate(of_decks)
    ]
    rows.append(GameRow(0, 0, 1, 0, 0, 7.0, 7.0, 0, "", b""))
    (game,) = summarise(event, rows).games
    assert [(one.reason, key_text(one.row)) for one in samples(event, game)] == [
        ("the first at its highest", "0:1:1:3:0"),
        ("an upset, 13 points more than the first with the same cards", "0:0:0:2:0"),
        ("the first at its lowest", "0:1:1:2:0"),
        ("an upset, 1 point more than the first with the same cards", "0:2:2:1:0"),
    ]
    assert [one.title for one in meetings(event, game).values()] == [
        "high: 5 games; 16.60 points on average",
        "high and low: 1 game; 7.00 points on average",
        "next: 5 games; 16.40 points on average",
        "low: 5 games; 8.20 points on average",
        "never: 5 games; 5.40 points on average",
    ]


def test_each_meeting_lists_some_games_those_that_the_lower_one_won_first(played, row):
    by_places = meetings(THREE, played)
    assert list(by_places) == [(0, 1), (0, 2), (1, 2)]
    first = by_places[0, 2]
    assert (first.anchor, first.title) == ("meeting-0-0-2", "a – c: 40 games; a won 38, drew 0 and lost 2")
    assert first.lines[:3] == [
        ["0:0:1:9:0", "c", "c won", "23"],
        ["0:0:1:19:0", "c", "c won", "43"],
        ["0:0:1:0:0", "c", "a won", "5"],
    ]
    assert (len(first.lines), first.left_out) == (10, 30)
    second = by_places[1, 2]
    assert second.title == "b – c: 40 games; b won 24, drew 8 and lost 8"
    assert [result for _, _, result, _ in second.lines] == [*["c won"] * 8, "b won", "drawn"]


def test_how_games_ended(row):
    event = Tournament(("a", "b"), (GameEntry("backgammon", 3),))
    endings = [(2, 0, ""), (-3, 1, ""), (0, 1, ""), (1, FORFEIT + 1, "hung"), (-3, FORFEIT, ""), (3, FORFEIT, "")]
    rows = [
        row(0, 1, n // 2, n % 2, payoff, ending=ending, cause=cause, moves=bytes(2 * n))  # two bytes a move
        for n, (payoff, ending, cause) in enumerate(endings)
    ]
    (game,) = summarise(event, rows).games
    assert sorted(meetings(event, game)[0, 1].lines) == [
        ["0:0:1:0:0", "a", "a won by 2", "0"],
        ["0:0:1:0:1", "b", "b won by 3, cut off", "1"],
        ["0:0:1:1:0", "a", "drawn, cut off", "2"],
        ["0:0:1:1:1", "b", "a forfeited", "3"],
        ["0:0:1:2:0", "a", "a forfeited", "4"],
        ["0:0:1:2:1", "b", "b forfeited", "5"],
    ]


def test_a_page_lists_no_more_games_the_more_meetings_there_are(monkeypatch, played):
    monkeypatch.setattr(module, "_MOST_IN_ALL", 9)
    assert [len(one.lines) for one in meetings(THREE, played).values()] == [3, 3, 3]
    monkeypatch.setattr(module, "_MOST_IN_ALL", 2)
    assert [len(one.lines) for one in meetings(THREE, played).values()] == [1, 1, 1]
    monkeypatch.setattr(module, "_MOST_MEETINGS", 3)
    assert len(meetings(THREE, played)) == 3
    monkeypatch.setattr(module, "_MOST_MEETINGS", 2)
    assert meetings(THREE, played) == {}


def test_figures_lead_to_games_and_games_to_their_pictures(store_path, tmp_path):
    page = write_report(store_path, tmp_path).page.read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', page)
    links = re.findall(r' href="#([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert set(links) <= set(ids)
    assert sum(link.startswith("meeting-0-") for link in links) == 6  # of three agents, in both directions
    shown = {identity for identity in ids if re.fullmatch(r"game(-\d+){5}", identity)}
    assert shown
    assert shown & set(links)


def test_a_report_shows_some_of_every_game(store_path, monkeypatch):
    tournament, rows, *_ = read_store(store_path)
    games = summarise(tournament, rows).games
    chosen = choose(tournament, games)
    assert set(chosen) == {0, 1, 2}
    for game in games:
        best = tournament.labels.index(game.table.rows[game.order.places[0]].agent)
        reason, replay = chosen[game.event][0]
        assert reason.startswith("the first ")
        assert str(best) in replay.key.split(":")[1:3]
        keys = [replay.key for _, replay in chosen[game.event]]
        assert len(set(keys)) == len(keys)
    size = sum(len(replay.to_json()) for replays in chosen.values() for _, replay in replays)
    for largest, all_of_them in ((size, True), (size - 1, False)):
        monkeypatch.setattr(module, "_LARGEST", largest)
        assert (choose(tournament, games) == chosen) is all_of_them
    monkeypatch.setattr(module, "_MOST_REPLAYS", 4)
    assert sum(map(len, choose(tournament, games).values())) == 4
