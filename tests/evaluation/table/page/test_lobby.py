"""The lobby: which game, who sits where, who begins."""

import time

import pytest

pytestmark = pytest.mark.browser


def test_from_the_lobby_to_a_game(page):
    page.go()
    page.until(lambda: len(page.all(".card svg")) >= 5)
    page.press("Tic-tac-toe")
    page.until(lambda: len(page.all(".setup select")) >= 2)
    page.press("Play")
    page.until(lambda: len(page.all(".target")) == 9)


def test_who_moves_first_is_chosen_in_the_lobby(page):
    from selenium.webdriver.support.ui import Select

    page.go()
    page.until(lambda: len(page.all(".card svg")) >= 5)
    page.press("Hexapawn")
    page.until(lambda: page.all(".first option"))
    assert [option.text for option in page.all(".first option")] == ["Me", "greedy", "at random"]
    Select(page.one(".first select")).select_by_visible_text("greedy")
    page.press("Play")
    page.until(lambda: len(page.all(".history li")) == 1)
    assert page.text(".players") == "white greedyblack you"


def test_the_lobby_offers_who_can_play_and_says_what_is_wrong(page):
    from selenium.webdriver.support.ui import Select

    page.go()
    page.until(lambda: len(page.all(".card svg")) >= 5)
    offered = "return [...document.querySelectorAll('.picker select')].at(-1).textContent"
    page.press("Tic-tac-toe")
    page.until(lambda: "perfect" in (page.driver.execute_script(offered) or ""))
    names = [option.text for option in Select(page.all(".picker select")[-1]).options]
    assert names == ["Me", "random", "greedy", "alphabeta", "mcts", "perfect", "beam", "ppo", "expert", "other …"]
    page.press("Othello")
    page.until(lambda: "perfect" not in page.driver.execute_script(offered))
    page.click(".setup form > details summary")
    Select(page.one(".options select")).select_by_visible_text("4")
    page.until(lambda: "perfect" in page.driver.execute_script(offered))
    # a wrong number in folded options
    page.press("Hexapawn")
    page.until(lambda: page.text(".setup h2") == "Hexapawn")
    page.click(".setup form > details summary")
    page.until(lambda: page.one(".options input").is_displayed())
    page.one(".options input").clear()
    page.one(".options input").send_keys("99")
    page.click(".setup form > details summary")
    page.until(lambda: not page.one(".options input").is_displayed())
    page.press("Play")
    page.until(lambda: page.one(".options input").is_displayed())
    assert page.driver.execute_script("return document.activeElement === document.querySelector('.options input')")


def seat_down(page, game):
    """The form of a game in the lobby."""
    page.go()
    page.until(lambda: len(page.all(".card svg")) >= 5)
    page.press(game)
    page.until(lambda: len(page.all(".picker select")) == 2)


def test_long_errors_and_names_stay_on_a_narrow_page(page):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select

    page.size(page.NARROW, mobile=True)
    seat_down(page, "Hexapawn")
    Select(page.all(".picker select")[-1]).select_by_visible_text("other …")
    typed = page.one(".picker .typed:not([hidden])")
    typed.send_keys("process:" + "x" * 400)
    page.press("Play")
    page.until(lambda: "starts a program" in page.text("#said"))
    assert len(page.faults()) == 1  # the browser's own word on a request that is refused
    fits = """const {left, right, top} = document.querySelector("#said").getBoundingClientRect();
        const {scrollWidth, clientWidth} = document.querySelector("#said");
        return left >= 0 && right <= innerWidth && top >= 0 && scrollWidth <= clientWidth"""
    width = "return [document.documentElement.scrollWidth, innerWidth]"
    assert page.driver.execute_script(fits)
    assert page.driver.execute_script(width) == [page.NARROW[0], page.NARROW[0]]
    typed.send_keys(Keys.CONTROL, "a")
    typed.send_keys("greedy?evaluation=" + "x" * 200)
    page.press("Play")
    page.until(lambda: "x" * 200 in page.text(".status.bad"))
    assert page.driver.execute_script(width) == [page.NARROW[0], page.NARROW[0]]
    page.go()
    page.until(lambda: "evaluation=x" in page.text(".latest"))
    assert page.driver.execute_script(width) == [page.NARROW[0], page.NARROW[0]]


def test_a_double_click_makes_one_game(page):
    from selenium.webdriver import ActionChains

    def tables():
        return {table["key"] for table in page.client.call("GET", "lobby")[1]["tables"]}

    seat_down(page, "Hexapawn")
    known = tables()
    page.until(lambda: ActionChains(page.driver).double_click(page.one(".setup button.main")).perform() or True)
    page.until(lambda: page.all(".target"))
    time.sleep(0.3)  # a second game would come a little later
    assert len(tables() - known) == 1
    for name in ("New game", "Swap seats"):
        known, address = tables(), page.driver.current_url
        button = page.driver.find_element("xpath", f"//button[.='{name}']")
        ActionChains(page.driver).double_click(button).perform()
        page.until(lambda address=address: page.driver.current_url != address and page.all(".board svg"))
        time.sleep(0.3)
        assert len(tables() - known) == 1
