"""The site is built without a warning, and its pages ask no other host for anything; a part of `make test-docs`."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "form": "action"}
"""What a browser fetches, or sends to, by tag and attribute; links that a person follows are not among them."""


class Foreign(HTMLParser):
    """Collects the addresses at other hosts that a page loads."""

    def __init__(self, text):
        super().__init__()
        self.addresses = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        address = dict(attributes).get(LOADS.get(tag), "") or ""
        if re.match(r"(https?:)?//", address):
            self.addresses.append(address)


def test_what_a_page_loads_is_found():
    page = '<a href="https://a.org"><script src="https://b.org/x.js"></script><link href="//c.org"><img src="d.png">'
    assert Foreign(page).addresses == ["https://b.org/x.js", "//c.org"]


@pytest.mark.docs
def test_the_site_asks_no_other_host(tmp_path):
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 50
    assert {
        page.name: foreign for page in pages if (foreign := Foreign(page.read_text(encoding="utf-8")).addresses)
    } == {}
    styles = (file.read_text(encoding="utf-8") for file in tmp_path.rglob("*.css"))
    assert [address for style in styles for address in re.findall(r"url\([\"']?(?:https?:)?//[^)]*", style)] == []
