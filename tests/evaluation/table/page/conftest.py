"""The table in a real browser: Debian's chromium without a window, driven by selenium: `make test-browser`."""

import json
import shutil
import tempfile
import time

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def driver():
    webdriver = pytest.importorskip("selenium.webdriver", reason="tests in a browser need the extra 'browser'")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("there is no browser here: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as chrome:
        yield chrome


class Page:
    """What a person does and sees."""

    WIDE, NARROW = (1280, 900), (390, 844)

    def __init__(self, driver, client):
        self.driver, self.client = driver, client
        self.size(self.WIDE)
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
        self.until(lambda: [shapes.click() or True for shapes in self.driver.find_elements("xpath", path)[:1]])

    def keys(self, *keys):
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def until(self, condition, seconds=30):
        from selenium.common.exceptions import WebDriverException

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if value := condition():
                    return value
            except WebDriverException:  # the page has just drawn itself anew
                pass
            time.sleep(0.03)
        raise AssertionError(f"it never came; the page says: {self.text('main')[:500]} {self.text('#said')}")

    def click(self, selector):
        """Click the first that there is; whether there was one."""
        script = """const element = document.querySelector(arguments[0]);
            element?.scrollIntoView({block: "center"});
            return Boolean(element)"""
        if not self.driver.execute_script(script, selector):
            return False

        def done():
            for element in self.all(selector)[:1]:  # none: the page has gone on meanwhile
                element.click()
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
        kind = self.driver.execute_script(script, *kinds)
        return "over" if kind == ".status.over" else kind

    def faults(self):
        """Those of this server; the end of an earlier one may be told late."""
        told = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return [message for message in told if "//127.0.0.1:" not in message or f":{self.client.port}/" in message]

    def here(self, selector):
        """The first that there is, in the middle of the screen, for the mouse."""
        self.driver.execute_script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        return self.one(selector)

    def copied(self, name):
        """What a button copies."""
        self.driver.execute_script("window.copied = null")
        self.driver.execute_script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.press(f"Copy {name}")
        return self.until(lambda: self.driver.execute_script("return window.copied"))


@pytest.fixture
def page_of(driver):
    """`page_of(client)`: the page of a table of one's own."""
    return lambda client: Page(driver, client)


@pytest.fixture
def page(driver, page_of, table):
    opened = page_of(table)
    yield opened
    assert opened.faults() == []
    driver.get("about:blank")  # or the end of its server would be the next test's fault
