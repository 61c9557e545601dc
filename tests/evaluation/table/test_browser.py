"""The table in a real browser: Debian's chromium without a window, driven by selenium: `make test-browser`."""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import webbrowser

import pytest

from ludarium.evaluation.cli.table import _open

pytestmark = pytest.mark.browser
COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
WIDE, NARROW = (1280, 900), (390, 844)


@pytest.fixture(scope="module")
def driver():
    webdriver = pytest.importorskip("selenium.webdriver", reason="tests in a browser need the extra 'browser'")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("there is no browser here: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as found:
        yield found


class Page:
    """What a person does and sees."""

    def __init__(self, driver, client):
        self.driver, self.client = driver, client
        self.size(WIDE)
        driver.get_log("browser")  # what went before is not ours

    def size(self, size, mobile=False):
        shape = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": mobile}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": mobile})

    def go(self, place=""):
        self.driver.get("about:blank")
        self.driver.get(f"http://127.0.0.1:{self.client.port}/#{self.client.token}{place}")

    def open(self, game, *seats, **more):
        self.key = self.client.post("tables", game=game, seats=list(seats), **more)["key"]
        self.go(f"/t/{self.key}")
        self.until(lambda: self.all(".board svg"))
        return self.key

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.until(lambda: self.all(selector))[0]

    def text(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def press(self, name):
        path = "//button[normalize-space()={0} or span[normalize-space()={0}]]".format(json.dumps(name))
        self.until(lambda: [found.click() or True for found in self.driver.find_elements("xpath", path)[:1]])

    def keys(self, *keys):
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def until(self, found, seconds=30):
        from selenium.common.exceptions import WebDriverException

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if value := found():
                    return value
            except WebDriverException:  # the page has just drawn itself anew
                pass
            time.sleep(0.03)
        raise AssertionError(f"it never came; the page says: {self.text('main')[:500]} {self.text('#said')}")

    def click(self, selector):
        """Click the first that there is; whether there was one."""
        script = """const found = document.querySelector(arguments[0]);
            found?.scrollIntoView({block: "center"});
            return Boolean(found)"""
        if not self.driver.execute_script(script, selector):
            return False

        def done():
            for found in self.all(selector)[:1]:  # none: the page has gone on meanwhile
                found.click()
            return True

        return self.until(done, 5)

    def play_on(self, most=600):
        """Click whatever can be clicked first, until the game is over."""
        for _ in range(most):
            kind = self.until(self._can)
            if kind == "over":
                return
            self.click(kind)
            self.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 5))")
        raise AssertionError("the game does not end")

    def _can(self):
        script = """for (const one of arguments) if (document.querySelector(one)) return one; return null"""
        kinds = (".status.over", ".choices button.main", ".board .target")
        found = self.driver.execute_script(script, *kinds)
        return "over" if found == ".status.over" else found

    def faults(self):
        """Those of this server; the end of an earlier one may be told late."""
        told = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return [message for message in told if "//127.0.0.1:" not in message or f":{self.client.port}/" in message]


@pytest.fixture
def page(driver, table):
    found = Page(driver, table)
    yield found
    assert found.faults() == []
    driver.get("about:blank")  # or the end of its server would be the next test's fault


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


def test_from_the_lobby_to_a_game(page):
    page.go()
    page.until(lambda: len(page.all(".card svg")) >= 5)
    page.press("Tic-tac-toe")
    page.until(lambda: len(page.all(".setup select")) >= 2)
    page.press("Play")
    page.until(lambda: len(page.all(".target")) == 9)


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


@pytest.mark.parametrize("place", ["", "hexapawn", "backgammon", "hanabi"])
def test_at_touch_size_nothing_is_wider_than_the_screen(page, place):
    page.size(NARROW, mobile=True)
    if place:
        page.open(place, "me", "random", seed=1)
    else:
        page.go()
        page.one(".card")
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= NARROW[0]
    small = """return [...document.querySelectorAll("button, select")]
        .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 24).map((one) => one.textContent)"""
    assert page.driver.execute_script(small) == []
    if place == "hexapawn":
        page.play_on()


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


def ask(page, *advisers):
    """Ask these advisers, in this order, and wait for what they say."""
    for number, name in enumerate(advisers, 1):
        page.until(lambda: page.text(".advisers select"))
        page.driver.execute_script(
            """const select = document.querySelector(".advisers select");
            select.value = arguments[0];
            select.dispatchEvent(new Event("change"));""",
            name,
        )
        page.press("Ask")
        page.until(lambda count=number: len(page.all(".advisers thead th")) == count)
        page.until(lambda: page.all(".advisers tbody tr") and "thinking" not in page.text(".advisers"))


def rows(page):
    """The table of advisers: the words of each cell, without those for the play."""
    return page.driver.execute_script(
        """return [...document.querySelectorAll(".advisers tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
    )


def test_advisers_side_by_side_say_results_in_words_on_one_axis(page):
    page.open("hexapawn", "me", "random", seed=1)
    ask(page, "expert", "mcts")
    assert [first for first, _ in rows(page)] == ["★ loses in 6 plies", "loses in 4 plies", "loses in 4 plies"]
    assert all(float(second.replace("★ ", "")) < 1 for _, second in rows(page))
    assert "Values: result (loss -1, win +1), for the seat to move. ★ what it would play" in page.text(".advisers")
    assert {text.text for text in page.all(".values text")} == {"loss"}
    page.press("Whole game")
    page.until(lambda: len(page.all(".graph .curve")) == 2)
    assert len(page.all(".graph svg")) == 1
    assert [text.text for text in page.all(".graph text")][:4] == [
        "result (loss -1, win +1), for white", "win", "even", "loss"
    ]  # fmt: skip


def test_a_score_is_not_drawn_beside_points(page):
    page.open("backgammon", "me", "me", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    ask(page, "expert", "greedy")
    plays = [row.text for row in page.all(".advisers tbody th")]
    assert plays[:2] == ["8/5 6/5", "24/23 13/10"]
    assert len(set(plays)) == len(plays) == 12
    assert rows(page)[0][0].startswith("★ +0.1")
    assert "Values: expert: points; greedy: score, for the seat to move" in page.text(".advisers")
    page.press("Whole game")
    page.until(lambda: "Not in the graph: greedy" in page.text(".graph"))
    assert page.text(".graph text") == "points, for white"
    assert len(page.all(".graph .curve")) == 1


def test_a_hint_says_a_move_and_its_value_and_a_move_for_me_is_played(page):
    page.open("hexapawn", "me", "random", seed=1)
    page.until(lambda: page.text(".advisers select"))
    page.press("Hint")
    page.until(lambda: page.text("#said").startswith("expert would play "))
    advice = page.client.post(f"tables/{page.key}/advice", agent="expert", ply=0)
    worth = next(one["worth"] for one in advice["opinions"] if one["action"] == advice["move"]["action"])
    assert page.text("#said").endswith(f"{advice['move']['text']}: {worth}")
    assert worth == "loses in 6 plies"
    assert page.client.state(page.key)["history"] == []
    page.press("Move for me")
    page.until(lambda: len(page.all(".history li")) == 2)
    assert page.client.state(page.key)["history"][0]["text"] == advice["move"]["text"]


def test_the_moves_that_lost_most_have_rings(page):
    """In a game of hexapawn in which both sides play the worst move, the exact values say which lost anything."""
    page.open("hexapawn", "me", "me", seed=1)
    lost = []
    while not page.client.state(page.key)["over"]:
        state = page.client.state(page.key)
        opinions = page.client.post(f"tables/{page.key}/advice", agent="expert", ply=len(lost))["opinions"]
        best, worst = opinions[0], min(opinions, key=lambda one: one["value"])
        lost.append(best["value"] - worst["value"])
        page.client.post(f"tables/{page.key}/play", action=worst["action"], version=state["version"])
    page.press("Whole game")
    rings = sum(one > 0 for one in lost)
    assert 0 < rings <= 3
    page.until(lambda: len(page.all(".graph .worst")) == rings)
    named = page.driver.execute_script(
        "return [...document.querySelectorAll('.graph button')].map((b) => b.textContent)"
    )
    assert [int(text.split(".")[0]) - 1 for text in named] == [ply for ply, one in enumerate(lost) if one > 0]
    assert all(text.endswith(" win → loss") for text in named)


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


def test_a_game_goes_on_after_a_restart_of_the_server(driver, client_of, tmp_path, monkeypatch):
    """The new token comes with the page that the command opens; all other pages of the browser have it then."""
    monkeypatch.setattr(webbrowser, "open", lambda uri: None)

    def start(port):
        command = [*COMMAND, "--port", str(port), "--games", str(tmp_path / "games.db")]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port, token = re.search(r"http://127\.0\.0\.1:(\d+)/#([\w-]+)", running.stdout.readline()).groups()
        return running, client_of(int(port), token)

    running, client = start(0)
    try:
        page = Page(driver, client)
        page.open("tictactoe", "me", "random", seed=1)
        page.until(lambda: page.all(".target"))
        page.click(".target")
        page.until(lambda: len(page.all(".history li")) == 2)
        running.send_signal(signal.SIGKILL)
        running.wait()
        page.until(lambda: page.one(".offline").is_displayed())
        running, client = start(client.port)
        page.client = client
        page.until(lambda: "was started anew. Open the address" in page.text(".offline"))
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        _open(f"http://127.0.0.1:{client.port}/#{client.token}", tmp_path)
        driver.get((tmp_path / "table.html").as_uri())
        page.until(lambda: page.all(".latest a"))
        assert client.token not in driver.current_url
        driver.refresh()
        page.until(lambda: page.all(".latest a"))
        driver.get("about:blank")  # an address that is no longer true, or was made up elsewhere, locks nobody out
        driver.get(f"http://127.0.0.1:{client.port}/#made-up")
        page.until(lambda: page.all(".latest a"))
        driver.close()
        driver.switch_to.window(first)
        page.until(lambda: not page.one(".offline").is_displayed())
        page.play_on()
        assert client.state(page.key)["over"]
    finally:
        running.kill()


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


def test_features_times_weights_are_a_reason(page):
    page.open("othello", "me", "greedy?evaluation=six", seed=1)
    page.until(lambda: page.all(".target"))
    page.click(".target")
    page.until(lambda: page.text(".why button").startswith("Why "))
    page.one(".why button").click()
    page.until(lambda: page.all(".terms"))
    assert "share of the moves" in page.text(".terms")
    assert page.text(".terms tbody tr:last-child th") == "sum"


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


def test_an_agent_that_hangs_costs_its_game(driver, serving, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        textwrap.dedent("""
        def bot(observation, action_mask, info):
            while True:
                pass
    """)
    )
    with serving(allow_programs=True, move_time=1.0) as client:
        page = Page(driver, client)
        page.open("tictactoe", "me", str(bot), seed=1)
        page.until(lambda: page.text(".status") == "Your turn" and page.click(".target"))
        page.until(lambda: "forfeits" in page.text(".status"))
        assert page.text(".status").endswith("you win")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["lobby", "othello", "hanabi", "backgammon"])
def test_no_fault_of_accessibility(page, place, scheme):
    axe = pytest.importorskip("axe_selenium_python", reason="this needs the extra 'browser'")
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    if place == "lobby":
        page.go()
        page.until(lambda: len(page.all(".card svg")) >= 5)
        page.press("Othello")
        page.until(lambda: page.all(".setup select"))
    else:
        page.open(place, "me", "greedy", seed=1)
        page.until(lambda: page.all(".target, .choices button"))
    checker = axe.Axe(page.driver)
    checker.inject()

    def faults():
        found = [fault for fault in checker.run()["violations"] if fault["id"] != "skip-link"]  # addresses begin with #
        return [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in found]

    assert faults() == []
    if place == "backgammon":
        page.press("Resign")
        page.until(lambda: page.one("dialog").is_displayed())
        assert faults() == []


# --- tried as a person would -----------------------------------------------------------------------------------------


def here(page, selector):
    """The first that there is, in the middle of the screen, for the mouse."""
    page.driver.execute_script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
    return page.one(selector)


def place(page, name):
    """The place of a move whose label is, or begins with, a text."""
    return f'.board .target[aria-label^="{name}"]'


def copied(page, name):
    """What a button copies."""
    page.driver.execute_script("window.copied = null")
    page.driver.execute_script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.press(f"Copy {name}")
    return page.until(lambda: page.driver.execute_script("return window.copied"))


def test_a_move_by_mouse_leaves_no_preview_and_arrow_keys_step_then(page):
    from selenium.webdriver.common.keys import Keys

    page.open("othello", "me", "greedy", seed=1)
    page.until(lambda: here(page, ".target").click() or True)
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
    page.size(NARROW)  # where the list is long
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

    page.size(NARROW, mobile=True)
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
    assert page.driver.execute_script(width) == [NARROW[0], NARROW[0]]
    typed.send_keys(Keys.CONTROL, "a")
    typed.send_keys("greedy?evaluation=" + "x" * 200)
    page.press("Play")
    page.until(lambda: "x" * 200 in page.text(".status.bad"))
    assert page.driver.execute_script(width) == [NARROW[0], NARROW[0]]
    page.go()
    page.until(lambda: "evaluation=x" in page.text(".latest"))
    assert page.driver.execute_script(width) == [NARROW[0], NARROW[0]]


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


def test_a_piece_is_put_back_or_exchanged_by_touching_and_a_finished_game_taken_back(page):
    from selenium.webdriver import ActionChains

    key = page.open("hexapawn", "me", "me", seed=1)
    page.until(lambda: page.all(".target"))
    for pieces in (1, 0):
        here(page, place(page, "a1a2") if pieces else place(page, "put it back")).click()
        page.until(lambda pieces=pieces: len(page.all(".trail rect")) == pieces)
    ActionChains(page.driver).double_click(here(page, place(page, "a1a2"))).perform()
    assert len(page.all(".trail rect")) == 1
    here(page, place(page, "instead: b1b2")).click()
    page.until(lambda: page.all(place(page, "instead: a1a2")))
    here(page, place(page, "b1b2")).click()
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


def test_what_is_copied_of_backgammon_and_what_is_odd_about_a_record(page):
    almost = f"XGID=-A{'-' * 22}a-:0:0:1:00:0:0:0:0:6"
    key = page.open("backgammon", "me", "me", position=almost)
    page.client.play(key, "1/off")
    page.until(lambda: page.text(".status") == "white wins 1 point")
    page.click(".record summary")
    assert copied(page, "XGID") == f"XGID=--{'-' * 22}a-:0:0:1:00:0:0:0:0:6"
    assert re.fullmatch("white [1-6]{2}: 1/off", copied(page, "moves"))
    game = " 0 point match\n\n Game 1\n Ann : 0                          Bob : 0\n"
    lines = "  1)                             31: 8/5 6/5\n  2) 65: 24/13                   42: 8/4 6/"
    key = page.client.post("records", name="cut.mat", text=game + lines)["key"]
    page.go(f"/t/{key}")
    page.until(lambda: len(page.all(".history li")) > 2)
    assert page.text(".notes").startswith("line 6: '6/' is left out; the file ends there")
