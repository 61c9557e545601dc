"""The version and its date are the same everywhere."""

import re
import tomllib
from pathlib import Path

import ludarium

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_and_the_date_are_the_same_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation, changes = (ROOT / "CITATION.cff").read_text(), (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## (\d\S*) \((\S+)\)", changes, re.MULTILINE)[0]  # above it there may be: Unreleased
    assert ludarium.__version__ == version
    assert (*re.findall(r"^(?:version|date-released): (\S+)", citation, re.MULTILINE),) == released
    assert released[0] == version
