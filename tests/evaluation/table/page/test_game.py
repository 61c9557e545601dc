"""A game on the page: its history, its record, its end, and other tabs."""

import re
import textwrap

import pytest

pytestmark = pytest.mark.browser


def test_taking_back_and_stepping_by_arrow_keys(page):
    from selenium.webdriver.common.keys import Keys

    page.open("othello?size=6", "me", "greedy", seed=1)
    for count in (2, 4):
        page.until(lambda: page.all(".target"))
        page.click(".target")
        page.until(lambda count=count: len(page.all(".history li")) == count)
    board = page.one(".board svg").get_attribute("aria-label")
    page.press("Take back")
    page.until(lambda: len(page.all(".history li")) == 2)
    page.driver.execute_script("document.activeElement.blur()")
    page.keys(Keys.ARROW_LEFT)
    page.until(lambda: page.text(".status") == "After move 1 of 2")
    assert page.all(".target") == []
    page.keys(Keys.HOME)
    page.until(lambda: page.text(".status") == "After move 0 of 2")
    page.press("Play on from here")
    page.until(lambda: page.all(".history li") == [])
    assert page.one(".board svg").get_attribute("aria-label") != board


def test_a_transcript_goes_in_and_comes_out(page):
    page.go()
    page.one(".opener form input").send_keys("f5d6c3d3c4")
    page.press("Open moves")
    page.until(lambda: len(page.all(".history li")) == 5)
    assert [one.text.split()[-1] for one in page.all(".history button")] == ["f5", "d6", "c3", "d3", "c4"]
    page.driver.execute_script(
        """window.saved = [];
        URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return location.href; };"""
    )
    page.click(".record summary")
    page.press("Save as transcript")
    assert page.until(lambda: page.driver.execute_script("return window.saved[0]")) == "f5d6c3d3c4\n"


def test_two_tabs_agree(page):
    page.open("hexapawn", "me", "random", seed=1)
    first = page.driver.current_window_handle
    address = page.driver.current_url
    page.driver.switch_to.new_window("tab")
    try:
        page.driver.get(address)
        page.until(lambda: page.all(".target"))
        page.click(".target")
        page.until(lambda: page.all(".choosing"))
        page.click(".target")
        page.until(lambda: len(page.all(".history li")) >= 2)
    finally:
        page.driver.close()
        page.driver.switch_to.window(first)
    page.until(lambda: len(page.all(".history li")) >= 2)


def test_what_they_know_is_seen_while_it_is_held(page):
    from selenium.webdriver import ActionChains

    page.open("hanabi", "me", "greedy", seed=1)
    page.until(lambda: page.all(".target"))

    def hold():
        button = page.driver.find_element("xpath", "//button[.='What they know']")
        ActionChains(page.driver).click_and_hold(button).perform()
        return True

    page.until(hold)
    page.until(lambda: page.all(".board .cover svg"))
    assert page.text(".cover svg").count("?") == 10
    ActionChains(page.driver).release().perform()
    page.until(lambda: not page.all(".board .cover"))


def test_an_agent_that_hangs_costs_its_game(page_of, serving, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        textwrap.dedent("""
        def bot(observation, action_mask, info):
            while True:
                pass
    """)
    )
    with serving(allow_programs=True, move_time=1.0) as client:
        page = page_of(client)
        page.open("tictactoe", "me", str(bot), seed=1)
        page.until(lambda: page.text(".status") == "Your turn" and page.click(".target"))
        page.until(lambda: "forfeits" in page.text(".status"))
        assert page.text(".status").endswith("you win")


def test_who_watches_an_earlier_move_stays_there_and_the_list_shows_it(page):
    page.open("othello?size=6", "random", "random", seed=1)
    page.client.post(f"tables/{page.key}/pace", paused=True)
    while len(page.client.state(page.key)["history"]) < 20:
        count = len(page.client.state(page.key)["history"])
        page.client.post(f"tables/{page.key}/pace", step=True)
        page.client.wait(page.key, lambda state, count=count: len(state["history"]) > count)
    in_view = """const list = document.querySelector(".history").getBoundingClientRect();
        const now = document.querySelector(".history .now").getBoundingClientRect();
        return scrollY === 0 && now.top >= list.top - 1 && now.bottom <= list.bottom + 1"""
    page.size(page.NARROW)  # where the list is long
    count = len(page.client.state(page.key)["history"])
    page.until(lambda: len(page.all(".history li")) == count)
    assert page.driver.execute_script(in_view)
    page.driver.execute_script("document.querySelectorAll('.history button')[4].click()")
    page.until(lambda: page.text(".status") == f"After move 5 of {count}")
    assert page.driver.execute_script(in_view)
    page.client.post(f"tables/{page.key}/pace", step=True)
    page.until(lambda: page.text(".status") == f"After move 5 of {count + 1}")
    assert page.driver.execute_script(in_view)
    page.press("Live: 1 new move")
    page.until(lambda: page.text(".history .now").endswith(page.client.state(page.key)["history"][-1]["text"]))
    assert page.text(".count") == f"{count + 1} / {count + 1}"


@pytest.mark.parametrize(
    ("game", "more"),
    [
        ("hexapawn", {}),
        ("othello", {}),
        ("backgammon", {"position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6"}),
    ],
)
def test_marks_of_seats_have_the_colours_of_their_pieces(page, game, more):
    key = page.open(game, "me", "me", **more)
    script = """const [[x, y, w, h], seat] = arguments;
        const within = (one) => {
            const [cx, cy] = [one.getAttribute("cx"), one.getAttribute("cy")].map(Number);
            return x < cx && cx < x + w && y < cy && cy < y + h;
        };
        const piece = [...document.querySelectorAll(".board svg > circle")].filter(within).at(-1);
        const marks = [".history li:last-child .dot", `.players li:nth-child(${seat + 1}) .dot`];
        const colours = marks.map((mark) => getComputedStyle(document.querySelector(mark)).backgroundColor);
        return [getComputedStyle(piece).fill, ...colours]"""
    for seat in range(2):
        state = page.client.play(key, page.client.my_turn(key)["view"]["moves"][0]["text"])
        page.until(lambda seat=seat: len(page.all(".history li")) == seat + 1)
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
            colours = page.driver.execute_script(script, state["view"]["last"][-1], seat)
            assert len(set(colours)) == 1, (scheme, seat, colours)


def test_resigning_is_asked_for_and_costs_what_one_chooses(page):
    key = page.open("backgammon?match_length=5", "me", "me", seed=1)
    page.press("Resign")
    page.until(lambda: page.one("dialog").is_displayed())
    assert "The match goes on" in page.text("dialog")
    assert [one.text for one in page.all("dialog button")] == [
        "Single game: 1 point", "Gammon: 2 points", "Backgammon: 3 points", "Play on"
    ]  # fmt: skip
    page.press("Play on")
    page.until(lambda: not page.all("dialog"))
    assert page.client.state(key)["history"] == []
    page.press("Resign")
    page.press("Gammon: 2 points")
    page.until(lambda: page.text(".history").endswith("resign a gammon"))
    state = page.client.state(key)
    assert not state["over"]
    assert sorted(dict(state["view"]["facts"])["match"].split(" ")[0].split("–")) == ["0", "2"]
    page.press("Take back")
    page.until(lambda: page.all(".history li") == [])
    page.open("hexapawn", "me", "random", seed=1)
    page.press("Resign")
    page.driver.find_element("xpath", "//dialog//button[.='Resign']").click()
    page.until(lambda: page.text(".status") == "white (you) resigned; you lose")
    page.press("Take back")
    page.until(lambda: page.text(".status") == "Your turn")


def test_what_is_copied_of_backgammon_and_what_is_odd_about_a_record(page):
    almost = f"XGID=-A{'-' * 22}a-:0:0:1:00:0:0:0:0:6"
    key = page.open("backgammon", "me", "me", position=almost)
    page.client.play(key, "1/off")
    page.until(lambda: page.text(".status") == "white wins 1 point")
    page.click(".record summary")
    assert page.copied("XGID") == f"XGID=--{'-' * 22}a-:0:0:1:00:0:0:0:0:6"
    assert re.fullmatch("white [1-6]{2}: 1/off", page.copied("moves"))
    game = " 0 point match\n\n Game 1\n Ann : 0                          Bob : 0\n"
    lines = "  1)                             31: 8/5 6/5\n  2) 65: 24/13                   42: 8/4 6/"
    key = page.client.post("records", name="cut.mat", text=game + lines)["key"]
    page.go(f"/t/{key}")
    page.until(lambda: len(page.all(".history li")) > 2)
    assert page.text(".notes").startswith("line 6: '6/' is left out; the file ends there")
