"""The board: moves by mouse, by touch and by keyboard."""

import time

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("hexapawn", ["me", "random"]),
        ("tictactoe", ["random", "me"]),
        ("othello?size=4", ["me", "greedy"]),
        ("backgammon?variant=hypergammon&cube=True", ["me", "random"]),
        ("hanabi?preset=very-small&seats=3", ["me", "random", "random"]),
    ],
)
def test_a_whole_game_by_clicks(page, game, seats):
    page.open(game, *seats, seed=2)
    page.play_on()
    state = page.client.state(page.key)
    assert state["over"]
    assert page.text(".status") == state["result"]
    assert len(page.all(".history li")) == len(state["history"])


def test_a_whole_game_by_keyboard_alone(page):
    from selenium.webdriver.common.keys import Keys

    page.open("tictactoe", "me", "random", seed=4)
    on_board = "return document.activeElement.classList.contains('target')"
    page.until(lambda: page.all(".target"))
    for _ in range(40):
        if page.driver.execute_script(on_board):
            break
        page.keys(Keys.TAB)
    moves = 0
    while not page.all(".status.over"):
        page.until(lambda: page.all(".status.over") or page.driver.execute_script(on_board))
        if page.all(".status.over"):
            break
        page.keys(Keys.ARROW_RIGHT if moves % 2 else Keys.ARROW_DOWN, Keys.ENTER)
        moves += 1
        count = 2 * moves
        page.until(lambda count=count: page.all(".status.over") or len(page.all(".history li")) >= count)
    assert page.client.state(page.key)["over"]


def test_the_board_can_be_turned(page):
    page.open("backgammon", "me", "me", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    where = """
        const board = document.querySelector(".board svg").getBoundingClientRect();
        const place = document.querySelector('.target[data-place="0"]').getBoundingClientRect();
        const x = place.x + place.width / 2 - board.x - board.width / 2;
        return [x, place.y + place.height / 2 - board.y - board.height / 2];
    """
    page.until(lambda: page.all(".target"))
    across, down = page.driver.execute_script(where)
    page.press("Turn the board")
    page.until(lambda: page.all(".board.turned"))
    turned = page.driver.execute_script(where)
    assert turned == pytest.approx([-across, -down], abs=1)


def test_a_move_shows_what_it_would_turn_over(page):
    page.open("othello", "me", "greedy", seed=1)
    from selenium.webdriver import ActionChains

    page.until(lambda: ActionChains(page.driver).move_to_element(page.one(".target")).perform() or True)
    page.until(lambda: len(page.all(".ghost circle")) == 2)  # the disc itself, and one turned over


def test_checkers_are_taken_back_one_by_one_and_moves_confirmed(page):
    page.open("backgammon", "me", "me", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    page.until(lambda: page.all(".target"))
    page.click(".target")
    page.click(".target")
    page.until(lambda: len(page.all(".trail rect")) == 2)
    page.press("Undo")
    page.until(lambda: len(page.all(".trail rect")) < 2)
    while not page.all(".choices button.main"):
        page.click(".target")
    assert page.client.state(page.key)["history"] == []
    page.click(".choices button.main")
    page.until(lambda: page.client.state(page.key)["history"])


def place(page, name):
    """The place of a move whose label is, or begins with, a text."""
    return f'.board .target[aria-label^="{name}"]'


def test_a_move_by_mouse_leaves_no_preview_and_arrow_keys_step_then(page):
    from selenium.webdriver.common.keys import Keys

    page.open("othello", "me", "greedy", seed=1)
    page.until(lambda: page.here(".target").click() or True)
    page.until(lambda: len(page.all(".history li")) == 2 and page.all(".target"))
    time.sleep(0.4)  # a preview comes a little later
    assert page.all(".ghost *") == []
    page.keys(Keys.ARROW_LEFT)
    page.until(lambda: page.text(".status") == "After move 1 of 2")
    page.keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.text(".status") == "Your turn")
    place_now = "return document.activeElement.dataset.place"
    while page.driver.execute_script(place_now) is None:
        page.keys(Keys.TAB)
    page.until(lambda: page.all(".ghost circle"))  # the keyboard's place has a preview
    first = page.driver.execute_script(place_now)
    page.keys(Keys.ARROW_DOWN)
    assert page.driver.execute_script(place_now) not in (None, first)
    page.keys(Keys.HOME)  # means nothing on the board
    page.until(lambda: page.text(".status") == "After move 0 of 2")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    page.until(lambda: page.text(".status") == "After move 1 of 2")


def test_a_piece_is_put_back_or_exchanged_by_touching_and_a_finished_game_taken_back(page):
    from selenium.webdriver import ActionChains

    key = page.open("hexapawn", "me", "me", seed=1)
    page.until(lambda: page.all(".target"))
    for pieces in (1, 0):
        page.here(place(page, "a1a2") if pieces else place(page, "put it back")).click()
        page.until(lambda pieces=pieces: len(page.all(".trail rect")) == pieces)
    ActionChains(page.driver).double_click(page.here(place(page, "a1a2"))).perform()
    assert len(page.all(".trail rect")) == 1
    page.here(place(page, "instead: b1b2")).click()
    page.until(lambda: page.all(place(page, "instead: a1a2")))
    page.here(place(page, "b1b2")).click()
    page.until(lambda: page.client.state(key)["history"])
    assert page.client.state(key)["history"][0]["text"] == "b1b2"
    state = page.client.my_turn(key)
    while not state["over"]:
        state = page.client.play(key, state["view"]["moves"][0]["text"])
    count = len(state["history"])
    page.until(lambda: page.text(".status") == state["result"])
    page.click("[aria-label='previous position']")
    page.until(lambda: page.text(".status") == f"After move {count - 1} of {count}")
    page.click("[aria-label='previous position']")
    page.until(lambda: page.text(".status") == f"After move {count - 2} of {count}")
    page.press("Take back")
    page.until(lambda: len(page.all(".history li")) == count - 1)
    assert page.text(".status").startswith("Your turn")
