"""The files of the wheel and of the source archive, and the package's page."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import ludarium

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("envs", "agents", "evaluation", "examples")


def files_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture
def information(built):
    """The text of a file of the wheel's metadata, by its name."""

    def text(name):
        with zipfile.ZipFile(built[0]) as archive:
            (path_of_text,) = (
                path for path in archive.namelist() if re.fullmatch(rf"[^/]+\.dist-info/(\w+/)?{name}", path)
            )
            return archive.read(path_of_text).decode()

    return text


def test_the_wheel_holds_the_four_folders_and_three_files(built):
    expected = {"ludarium/__init__.py", "ludarium/__main__.py", "ludarium/py.typed"}
    for folder in FOLDERS:
        files = (file for file in (ROOT / folder).rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        expected |= {f"ludarium/{file.relative_to(ROOT).as_posix()}" for file in files}
    assert files_of(built[0]) == expected


def test_the_wheel_says_what_it_is(information):
    fields, page = information("METADATA").split("\n\n", 1)
    assert f"\nVersion: {ludarium.__version__}\n" in fields  # that of pyproject.toml
    assert "\nLicense-Expression: MIT\n" in fields
    assert "MIT License" in information("LICENSE")
    assert "ludarium = ludarium.evaluation.cli:main" in information("entry_points.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert re.findall(r"^Provides-Extra: (.*)", fields, re.MULTILINE) == sorted(project["optional-dependencies"])
    assert {name for name, _ in re.findall(r"^Project-URL: (\w+), (\S+)", fields, re.MULTILINE)} >= {
        "Homepage", "Source", "Changelog", "Issues"
    }  # fmt: skip
    assert page.strip() == (ROOT / "README.md").read_text().strip()


def test_the_index_takes_the_archives(built):
    pytest.importorskip("twine")
    command = [sys.executable, "-P", "-m", "twine", "check", "--strict", *map(str, built)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_source_archive_builds_the_same_wheel(build, built, tmp_path):
    wheel, source = built
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert (folder / "tests" / "wheel" / "test_contents.py").is_file()
    build(folder, tmp_path / "again", "-t", "wheel")
    (again,) = (tmp_path / "again").glob("*.whl")
    assert files_of(again) == files_of(wheel)
