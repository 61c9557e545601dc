"""The positions of a game, as who may not see everything may see them."""

import pytest

from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.positions import Line
from ludarium.evaluation.table.refusal import Refusal


def line_of(game, *seats, moves):
    """A game in which first moves were played."""
    plan = Plan.of(game, seats, 3)
    episode = Episode(plan.made, child_key(seed_key(3), 0), None, [])
    for _ in range(moves):
        episode.play(episode.position.legal_actions()[0])
    line = Line(plan)
    line.follow(episode.history)
    return line


def refused(call, *arguments):
    with pytest.raises(Refusal) as refusal:
        call(*arguments)
    return refusal.value.status, f"{refusal.value}"


@pytest.fixture(scope="module")
def cards():
    return line_of("hanabi", "me", "greedy", moves=2)


@pytest.fixture(scope="module")
def dice():
    """After an opening roll of 1-6, black's 8/2 6/5, and a roll of 64."""
    return line_of("backgammon", "me", "me", moves=1)


def test_what_a_move_would_do_and_what_chance_did_is_hidden_with_the_cards(cards):
    assert refused(cards.preview, 0, 0) == (403, "hanabi: what a move does is hidden until it is played")
    assert refused(cards.script, 1, 0) == (409, "hanabi: there is no chance to decide here")
    for ply in range(3):
        view = cards.view(ply)
        assert (view["position"], view["chance"]) == (None, None)


def test_before_the_first_roll_there_is_no_position():
    line = Line(Plan.of("backgammon", ("me", "me"), 3))
    line.follow([])
    assert line.positions == []
    assert refused(line.at, 0) == (404, "the game has no position yet: its first chance is still to come")
    line = line_of("tictactoe", "me", "me", moves=2)
    assert refused(line.at, 3) == (404, "the game has 2 moves, there is no position after 3")
    assert refused(line.at, -1) == (404, "the game has 2 moves, there is no position after -1")


def test_moves_are_those_of_the_seat_that_looks(cards):
    assert [bool(cards.view(ply)["moves"]) for ply in range(3)] == [True, False, True]
    everybodys = line_of("hanabi", "greedy", "greedy", moves=1)
    assert all(everybodys.view(ply)["moves"] for ply in range(2))
    assert "??" in cards.view(1)["text"]
    assert "??" not in everybodys.view(1)["text"]


def test_who_sees_everything_sees_each_picture_from_the_front(dice):
    assert dice.view(1)["svg"] == dice.game.draw(dice.at(1)).svg()
    assert dice.view(1)["text"] == dice.game.to_ansi(dice.at(1))
    assert dice.view(1)["position"] == dice.at(1).text == "XGID=-b----E-C---eE---b-da--aB-:0:0:1:64:0:0:0:0:6"


def test_there_are_as_many_positions_as_moves_and_one_more(dice):
    assert [dice.view(ply)["ply"] for ply in (0, 1)] == [0, 1]
    for ply in (-1, 2):
        assert refused(dice.at, ply) == (404, f"the game has 1 moves, there is no position after {ply}")


def test_chance_could_have_done_everything_but_leave_the_move_to_another(dice):
    """The 15 opening rolls with which black begins, and the 21 rolls; white's would be 6-1, and a tie is no roll."""
    opening, second = (dice.view(ply)["chance"] for ply in (0, 1))
    rolls = [f"{first}-{then}" for first in range(1, 7) for then in range(first + 1, 7)]
    assert [text for _, text in opening["choices"]] == rolls
    assert dict(opening["choices"])[opening["outcome"]] == "1-6"
    assert {"".join(sorted(text)) for _, text in second["choices"]} == {
        f"{low}{high}" for low in range(1, 7) for high in range(low, 7)
    }
    assert len(second["choices"]) == 21
    assert dict(second["choices"])[second["outcome"]] == "64"
    assert dice.chance == [["1-6"], ["64"]]


def test_a_script_replaces_the_last_outcome_and_keeps_those_before(dice):
    opening, *_ = dice.history
    assert dice.script(0, 1) == [1]
    assert dice.script(1, 0) == [opening, 0]
    assert refused(dice.script, 0, 30) == (409, "backgammon: 30 is not a possible outcome here")  # a tie
    assert refused(dice.script, 1, 36) == (409, "backgammon: 36 is not a possible outcome here")
    assert refused(dice.script, 2, 0)[0] == 404
    pawns = line_of("hexapawn", "me", "me", moves=1)
    assert refused(pawns.script, 1, 0) == (409, "hexapawn: there is no chance to decide here")
    assert pawns.view(1)["chance"] is None


def test_the_last_move_is_shown_by_the_places_that_it_touched(dice):
    assert dice.view(0)["last"] == []
    before = dice.view(0)
    (path,) = [move["path"] for move in before["moves"] if move["text"] == "8/2 6/5"]
    assert dice.view(1)["last"] == [before["places"][place] for place in path]


def test_a_preview_is_the_picture_before_any_chance(dice):
    after = dice.at(0).copy()
    after.play(dice.history[1])
    assert dice.preview(0, dice.history[1]) == dice.game.draw(after).svg() != dice.view(1)["svg"]
    status, sentence = refused(dice.preview, 0, 0)
    assert (status, sentence.partition(";")[0]) == (409, "backgammon: action 0 (1/off(2)) is not legal for black")


def test_what_can_be_lost_and_whether_all_is_over_then(dice):
    three = [("single game", 1), ("gammon", 2), ("backgammon", 3)]
    assert dice.view(1)["resignations"] == [{"lost": lost, "points": points, "over": True} for lost, points in three]
    match = line_of("backgammon?match_length=2", "me", "me", moves=0)
    assert [(way["lost"], way["over"]) for way in match.view(0)["resignations"]] == [
        ("single game", False), ("gammon", True)
    ]  # fmt: skip


def test_a_line_goes_on_back_and_another_way():
    plan = Plan.of("hexapawn", ("me", "me"), 1)

    def views(line):
        return [line.view(ply) for ply in range(len(line.positions))]

    def fresh(*history):
        line = Line(plan)
        line.follow(history)
        assert len(line.positions) == len(history) + 1
        return views(line)

    first, second, *_ = plan.made.start().legal_actions()
    after = plan.made.start()
    after.play(first)
    reply = after.legal_actions()[0]
    line = Line(plan)
    for history in ([], [first], [first], [first, reply], [first], [second], [], [first, reply]):
        line.follow(history)
        assert line.history == history
        assert views(line) == fresh(*history)


def test_what_everybody_knows_is_another_picture_where_cards_are_hidden(cards, dice):
    seen, position = cards.view(1)["svg"], cards.at(1)
    assert seen == cards.game.draw_view(position, 0).svg()
    assert cards.known(1) == cards.game.draw_known(position).svg() != seen
    assert refused(dice.known, 1) == (409, "backgammon: nothing is hidden, so everybody knows the same")
