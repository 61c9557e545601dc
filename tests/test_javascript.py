"""JavaScript: the linter finds each kind of fault, and the page uses all of its files and exports."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "evaluation" / "table" / "page"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("export const f = () => ;", "Unexpected token"),
        ("export const f = () => nobody();", "no-undef"),
        ("export const f = () => { count = 1; };", "no-undef"),
        ("const nobody = 1;", "no-unused-vars"),
        ("function nobody() {}", "no-unused-vars"),
        ('import { given } from "./other.js";', "no-unused-vars"),
        ('import { given } from "./other.js"; given = 2;', "no-import-assign"),
        ('import { other } from "./other.js"; other();', "import(named)"),
        ('import * as other from "./other.js"; other.nobody();', "import(namespace)"),
        ("const given = 1; given = 2;", "no-const-assign"),
        ("export const f = (given) => [1].map((given) => given);", "no-shadow"),
    ],
)
def test_each_kind_of_fault_is_found(tmp_path, text, rule):
    oxlint = shutil.which("oxlint", path=Path(sys.executable).parent)
    if oxlint is None:
        pytest.skip("oxlint is not installed: pip install 'ludarium[dev]'")
    (tmp_path / "other.js").write_text("export const given = 1;\n")
    (tmp_path / "page.js").write_text(text)
    command = [oxlint, "--config", ROOT / ".oxlintrc.json", "--format", "unix", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert rule in done.stdout


def test_every_file_and_every_export_of_the_page_is_used():
    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGE.iterdir() if path.suffix in (".js", ".html")}
    whole = "\n".join(texts.values())
    assert set(re.findall(r'"(?:\.|/page)/(\w+\.js)"', whole)) == {name for name in texts if name.endswith(".js")}
    exported = set(re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", whole, re.MULTILINE))
    imported = set(re.findall(r"\w+", " ".join(re.findall(r"\{([^}]*)\} (?:from|= await import)", whole))))
    for module in re.findall(r"import \* as (\w+)", whole):
        imported |= set(re.findall(rf"\b{module}\.(\w+)", whole))
    assert len(exported) > 30
    assert exported - imported == set()
