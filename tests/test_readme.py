"""The README, which is also the package's page on the index, where nothing lies beside it."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
LINKS = [target for pair in re.findall(r"\]\(([^)]*)\)|(?:href|src)=\"([^\"]*)\"", TEXT) for target in pair if target]


def test_it_begins_with_a_match_and_what_it_prints(capsys):
    language, code = re.search(r"^```(\w*)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE).groups()
    assert language == "python"
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    said = re.findall(r"^# (.* scores .*)", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines()[:1] == said


def test_no_link_leads_into_the_repository_by_a_path():
    assert LINKS
    assert [target for target in LINKS if not target.startswith(("https://", "#"))] == []


def test_links_into_the_repository_lead_somewhere():
    source = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]
    files = {
        f"{source}/blob/main/",
        f"{source}/tree/main/",
        source.replace("github", "raw.githubusercontent") + "/main/",
    }
    paths = [target.removeprefix(start) for target in LINKS for start in files if target.startswith(start)]
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path.partition("#")[0]).exists()] == []


@pytest.mark.parametrize("command", ["make arena", "make test"])
def test_a_checkout_has_two_commands(command):
    assert re.search(rf"^{command} ", TEXT, re.MULTILINE)


def test_it_is_one_screen_and_a_half():
    assert len(TEXT.splitlines()) <= 95
    assert ".venv/bin/" not in TEXT
