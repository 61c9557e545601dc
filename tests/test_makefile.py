"""`make help`, which is also what `make` alone does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_every_target_has_a_line():
    if shutil.which("make") is None:
        pytest.skip("there is no make here")
    done = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True)
    told = re.findall(r"^make (\S+) +\S", done.stdout, re.MULTILINE)
    (targets,) = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert told == targets.split()
