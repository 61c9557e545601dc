"""The page as a whole: on a narrow screen, for screen readers, and over a restart of the server."""

import signal
import webbrowser

import pytest

from ludarium.evaluation.cli.table import _open

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("place", ["", "hexapawn", "backgammon", "hanabi"])
def test_at_touch_size_nothing_is_wider_than_the_screen(page, place):
    page.size(page.NARROW, mobile=True)
    if place:
        page.open(place, "me", "random", seed=1)
    else:
        page.go()
        page.one(".card")
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= page.NARROW[0]
    small = """return [...document.querySelectorAll("button, select")]
        .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 24).map((one) => one.textContent)"""
    assert page.driver.execute_script(small) == []
    if place == "hexapawn":
        page.play_on()


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
        violations = [
            fault for fault in checker.run()["violations"] if fault["id"] != "skip-link"
        ]  # addresses begin with #
        return [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in violations]

    assert faults() == []
    if place == "backgammon":
        page.press("Resign")
        page.until(lambda: page.one("dialog").is_displayed())
        assert faults() == []


def test_a_game_goes_on_after_a_restart_of_the_server(driver, page_of, start, tmp_path, monkeypatch):
    """The new token comes with the page that the command opens; all other pages of the browser have it then."""
    monkeypatch.setattr(webbrowser, "open", lambda uri: None)
    games = tmp_path / "games.db"
    running, client = start("--port", 0, "--games", games)
    try:
        page = page_of(client)
        page.open("tictactoe", "me", "random", seed=1)
        page.until(lambda: page.all(".target"))
        page.click(".target")
        page.until(lambda: len(page.all(".history li")) == 2)
        running.send_signal(signal.SIGKILL)
        running.wait()
        page.until(lambda: page.one(".offline").is_displayed())
        running, client = start("--port", client.port, "--games", games)
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
