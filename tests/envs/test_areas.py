"""Which parts of a picture stand for actions, and what the squares of a board are called."""

import pytest

from ludarium.envs.registry import make_game


def middle(area):
    return area.x + area.width / 2, area.y + area.height / 2


def labels(drawing):
    """Where the texts of a picture are."""
    return {shape["text"]: (shape["x"], shape["y"]) for kind, shape in drawing.shapes if kind == "text"}


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("tictactoe?rows=3&columns=5", "...../.x.../..... o"),
        ("hexapawn?rows=4&columns=3", ".pp/p../.P./P.P w"),
        ("hexapawn?rows=4&columns=3", ".pp/p../.P./P.P b"),
        ("othello?size=4", "-----OX--XO----- X"),
    ],
)
def test_a_move_on_a_board_is_the_squares_that_it_names(spec, text):
    """Their middles are beside the letters and numbers on the edges."""
    game = make_game(spec)
    position, names = game.from_text(text), labels(game.draw(game.from_text(text)))
    areas = game.areas(position)
    assert list(areas) == position.legal_actions()
    for action, places in areas.items():
        squares = game.action_to_str(position, action).replace("x", "")
        expected = [(names[squares[i]][0], names[squares[i + 1]][1]) for i in range(0, len(squares), 2)]
        assert [middle(place) for place in places] == expected


@pytest.mark.parametrize(
    ("spec", "text", "moves"),
    [
        ("othello?size=4", "XO-------------- O", "pass"),
        ("backgammon?cube=True", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:6", "roll double"),
    ],
)
def test_passes_and_cubes_are_nowhere(spec, text, moves):
    position = make_game(spec).from_text(text)
    assert position.legal_text() == moves
    assert position.game.areas(position) == {}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["tictactoe?rows=3&columns=5", "hexapawn?rows=4&columns=3", "othello?size=4"])
def test_squares_are_where_an_observation_has_them(spec, seat):
    """As the game prints its board: the seat's own pieces and the other's."""
    game = make_game(spec)
    position = game.start()
    for _ in range(3):
        position.play(position.legal_actions()[-1])
    rows = [line.split()[1:] for line in position.game.to_ansi(position).splitlines() if line.strip()[0].isdigit()]
    printed = [mark for row in rows for mark in row]
    seen = position.observe(seat).reshape(-1, 2) @ ((1, 2) if seat == 0 else (2, 1))
    marks = {"tictactoe": ".xo", "hexapawn": ".Pp", "othello": ".XO"}[game.name]
    squares = game.squares(seat)
    assert [marks[seen[place]] for place in squares.values()] == [mark.replace("+", ".") for mark in printed]
    numbers = [line.split()[0] for line in game.to_ansi(position).splitlines() if line.strip()[0].isdigit()]
    columns = len(printed) // len(numbers)
    assert list(squares) == [f"{'abcde'[column]}{number}" for number in numbers for column in range(columns)]


def test_games_without_squares_have_none(connect_four_class):
    assert connect_four_class().squares(0) == make_game("backgammon").squares(0) == {}


@pytest.mark.parametrize(("seat", "turns"), [(0, "1"), (1, "-1")])
@pytest.mark.parametrize("move", ["24/21 6/5", "8/5 6/5", "13/10 24/23"])
def test_checkers_leave_a_point_and_go_to_another_in_order(seat, turns, move):
    game = make_game("backgammon")
    position = game.from_text(f"XGID=-b----E-C---eE---c-e----B-:0:0:{turns}:31:0:0:0:0:6")
    names, places = labels(game.draw(position)), game.areas(position)[game.str_to_action(position, move)]
    mine = [int(point) for word in move.split() for point in word.split("/")]
    points = [str(25 - point if seat else point) for point in mine]
    assert [middle(place)[0] for place in places] == [names[point][0] for point in points]
    circles = [(shape["x"], shape["y"]) for kind, shape in game.draw(position).shapes if kind == "circle"]
    for place in places[::2]:  # there are checkers in it
        assert any(place.x < x < place.x + place.width and place.y < y < place.y + place.height for x, y in circles)


@pytest.mark.parametrize(
    ("seat", "board", "turns"), [(0, "-b----D-C---eE---c-e----BA", "1"), (1, "ab----E-C---eE---c-d----B-", "-1")]
)
def test_a_checker_on_the_bar_leaves_it_first(seat, board, turns):
    game = make_game("backgammon")
    position = game.from_text(f"XGID={board}:0:0:{turns}:31:0:0:0:0:6")
    bar, *_ = game.areas(position)[game.str_to_action(position, "bar/22 24/23")]
    assert middle(bar)[0] == 20 + 6.5 * 34
    assert (middle(bar)[1] < 265) == (seat == 1)


def test_checkers_are_borne_off_into_the_tray():
    game = make_game("backgammon")
    for turns, board in (("1", "-ABB------------------bba-"), ("-1", "-ABB------------------bba-")):
        position = game.from_text(f"XGID={board}:0:0:{turns}:31:0:0:0:0:6")
        tray = game.areas(position)[game.str_to_action(position, "3/off 1/off")][1]
        assert tray.x > 20 + 13 * 34
        assert (middle(tray)[1] < 265) == (turns == "-1")


def test_cards_go_to_the_fireworks_or_the_discards_and_hints_point_below_a_card(walk):
    game = make_game("hanabi?seats=3")
    position = next(position for position in walk(game) if position.turn >= 0)
    position.play(position.legal_actions()[-1])
    areas = {game.action_to_str(position, action): places for action, places in game.areas(position).items()}
    assert len(areas) == len(position.legal_actions())
    assert len(set(areas.values())) == len(areas)
    names = labels(game.draw(position))
    assert areas["play-2"][0] == areas["discard-2"][0] != areas["play-1"][0]
    assert middle(areas["play-2"][0])[1] == names["bob"][1]
    assert areas["play-2"][1].y < names["fireworks"][1] < areas["play-2"][1].y + areas["play-2"][1].height
    assert areas["discard-2"][1].x < names["discards"][0] < areas["discard-2"][1].x + areas["discard-2"][1].width
    record = position.record
    for name, (card, pip) in areas.items():
        if not name.startswith("hint-"):
            continue
        _, who, what = name.split("-")
        assert middle(card)[1] == names[who][1]
        held = game.seat_names.index(who), round((card.x - 96) / 82)
        assert what in (str(record.rank[held] + 1), ("red", "yellow", "green", "white", "blue")[record.color[held]])
        assert card.x - 8 <= pip.x < card.x + card.width
        assert pip.y > card.y + card.height


def test_columns_of_connect_four_are_those_of_its_text(connect_four_class):
    game = connect_four_class()
    position = game.start()
    words = [shape["x"] for kind, shape in game.draw(position).shapes if kind == "text"][:7]
    for column, (area,) in game.areas(position).items():
        assert area.x < words[column] < area.x + area.width
    for _ in range(6):
        position.play(3)
    assert list(game.areas(position)) == [0, 1, 2, 4, 5, 6]
