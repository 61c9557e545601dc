"""Pictures of the table in the browser: `python benchmarks/screenshots.py docs/pictures`.

Needs Debian's `chromium` and `chromium-driver`, and the extras `web` and `browser`. Every page is taken in a wide
window and on a narrow screen, in light and in dark. With `--times` it takes no pictures, but measures in the same
browser how long the first paint of each page takes, and how long it takes from a click until the move is shown.
"""

import argparse
import base64
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)
WIDE, NARROW = (1280, 900), (390, 844)
SECONDS = 60


def browser(width: int, height: int, dark: bool) -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={tempfile.mkdtemp()}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    return driver


class Page:
    """The table in one browser."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver, self.address = driver, address

    def call(self, path: str, body: dict[str, Any]) -> Any:
        script = """const [path, body, done] = arguments;
            const token = localStorage.getItem("token");
            const headers = {authorization: `Bearer ${token}`, "content-type": "application/json"};
            fetch(`/api/${path}`, {method: "POST", headers, body: JSON.stringify(body)})
                .then((answer) => answer.json()).then(done);"""
        return self.driver.execute_async_script(script, path, body)

    def go(self, place: str = "") -> None:
        self.driver.get("about:blank")
        self.driver.get(self.address + place)

    def wait(self, selector: str, test: Callable[[list[Any]], Any] = bool) -> list[Any]:
        for _ in range(SECONDS * 20):
            elements = self.driver.find_elements("css selector", selector)
            if test(elements):
                return elements
            time.sleep(0.05)
        raise TimeoutError(f"{selector}: it never came")

    def open(self, game: str, seats: list[str], **more: Any) -> str:
        self.go()
        self.wait(".card")
        key = self.call("tables", {"game": game, "seats": seats, **more})["key"]
        self.go(f"/t/{key}")
        self.wait(".target, .choices button, .status.over")
        return str(key)

    def move_for_me(self, times: int) -> None:
        """Let the first adviser move, and wait for the next turn; the page draws its buttons again at any time."""
        script = """
            const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Move for me");
            if (!button || button.disabled) return false;
            if (arguments[0]) button.click();
            return true;"""
        for number in range(times + 1):
            moves = len(self.driver.find_elements("css selector", ".history li"))
            self.wait("body", lambda _, press=number < times: self.driver.execute_script(script, press))
            if number < times:
                self.wait(".history li", lambda items, moves=moves: len(items) > moves)

    def picture(self, file: Path, whole: bool) -> None:
        time.sleep(0.6)
        asked: dict[str, Any] = {"format": "png"}
        if whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            asked |= {"captureBeyondViewport": True, "clip": {**size, "x": 0, "y": 0, "scale": 1}}
        file.write_bytes(base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", asked)["data"]))


def lobby(page: Page) -> None:
    page.go()
    page.wait(".card svg", lambda pictures: len(pictures) >= 5)
    page.driver.find_elements("css selector", ".card")[2].click()
    page.wait(".seats select", lambda selects: len(selects) == 2)


def othello(page: Page) -> None:
    key = page.open("othello", ["me", "alphabeta"], seed=1)
    for _ in range(7):
        page.wait(".target")[0].click()
        time.sleep(0.7)
    page.driver.find_element("xpath", "//button[.='Ask']").click()
    page.wait(".values text")
    assert key


def backgammon(page: Page) -> None:
    page.open("backgammon?match_length=5", ["me", "greedy"], seed=3)
    page.wait(".choices button")[0].click()
    for _ in range(2):
        time.sleep(0.5)
        page.wait(".target")[0].click()
    time.sleep(0.3)


def hanabi(page: Page) -> None:
    page.open("hanabi?seats=3", ["me", "hanabi-rules", "hanabi-rules"], seed=5)
    page.move_for_me(3)
    page.wait(".target")


def hexapawn(page: Page) -> None:
    page.open("hexapawn", ["me", "expert"], seed=1)
    page.wait(".target")[0].click()


def tictactoe(page: Page) -> None:
    page.open("tictactoe", ["me", "perfect"], seed=1)
    page.wait(".target")[4].click()
    page.wait(".history li", lambda items: len(items) == 2)


def why(page: Page, game: str, agent: str) -> None:
    page.open(game, ["me", agent], seed=1)
    page.move_for_me(4)
    page.wait(".why button")[0].click()
    page.wait(".why table")


PAGES: dict[str, Callable[[Page], None]] = {
    "lobby": lobby,
    "features": partial(why, game="othello", agent="greedy?evaluation=six"),
    "odds": partial(why, game="backgammon", agent="expert"),
    "othello": othello,
    "backgammon": backgammon,
    "hanabi": hanabi,
    "hexapawn": hexapawn,
    "tictactoe": tictactoe,
}


_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_CLICK = """
    const done = arguments[0], history = () => document.querySelectorAll(".history li").length, before = history();
    const button = document.querySelector(".moves .row button, .choices button.main");
    const began = performance.now();
    const observer = new MutationObserver(() => {
        if (history() === before) return;
        observer.disconnect();
        done(performance.now() - began);
    });
    observer.observe(document.body, {childList: true, subtree: true});
    button.click();"""
_LOADS, _CLICKS = 5, 10


def times(driver: Any, address: str) -> None:
    """Print the times of the lobby, and of a game of each kind against a random agent."""
    page = Page(driver, address)
    page.go()
    page.wait(".card svg", lambda pictures: len(pictures) >= 5)  # what the server prepares when it starts is ready
    _say("lobby, first paint", [_paint(page, "") for _ in range(_LOADS)])
    for game in ("hexapawn", "tictactoe", "othello", "backgammon", "hanabi"):
        key = page.open(game, ["me", "random"], seed=1)
        _say(f"{game}, first paint", [_paint(page, f"/t/{key}") for _ in range(_LOADS)])
        clicks: list[float] = []
        while len(clicks) < _CLICKS:
            ready = page.wait(".moves .row button, .choices button.main, .status.over")
            if page.driver.find_elements("css selector", ".status.over"):
                page.open(game, ["me", "random"], seed=len(clicks) + 2)
            elif ready:
                clicks.append(page.driver.execute_async_script(_CLICK))
                time.sleep(0.5)
        _say(f"{game}, click until the move is shown", clicks)


def _paint(page: Page, place: str) -> float:
    page.go(place)
    page.wait("body", lambda _: page.driver.execute_script(_PAINT))
    return float(page.driver.execute_script(_PAINT))


def _say(what: str, times: list[float]) -> None:
    print(f"{what}: {len(times)} times, ms: median {statistics.median(times):.0f}, most {max(times):.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/pictures"))
    parser.add_argument("--times", action="store_true", help="measure instead of taking pictures")
    parser.add_argument("--only", nargs="*", choices=PAGES, default=list(PAGES))
    parser.add_argument("--sizes", nargs="*", choices=("wide", "narrow"), default=["wide", "narrow"])
    parser.add_argument("--schemes", nargs="*", choices=("light", "dark"), default=["light", "dark"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMAND, "--port", "0", "--games", f"{folder}/games.db"]
        serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert serving.stdout is not None
        address = re.search(r"http://\S+", serving.stdout.readline())
        assert address
        try:
            if args.times:
                driver = browser(*WIDE, dark=False)
                times(driver, address[0])
                driver.quit()
                return
            args.folder.mkdir(parents=True, exist_ok=True)
            for size, scheme in ((a, b) for a in args.sizes for b in args.schemes):
                driver = browser(*(WIDE if size == "wide" else NARROW), scheme == "dark")
                for name in args.only:
                    PAGES[name](page := Page(driver, address[0]))
                    page.picture(args.folder / f"table-{name}-{size}-{scheme}.png", size == "narrow")
                driver.quit()
        finally:
            serving.terminate()
            serving.wait(10)


if __name__ == "__main__":
    main()
