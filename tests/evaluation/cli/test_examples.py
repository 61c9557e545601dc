"""`ludarium examples`: what it lists and copies, and what it refuses."""

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_each_has_a_line(output):
    lines = {line.split()[0]: line for line in output("examples").splitlines()}
    assert lines["connect_four.py"].endswith("  Connect four: a whole game in one file.")
    assert lines["bots/first.js"].endswith("  A bot for any game in JavaScript: plays the first legal action.")
    assert "plugin/pyproject.toml" in lines
    assert list(lines)[-1] == "ludarium"  # how to copy them


def test_they_are_copied_and_nothing_is_overwritten(output, refused, tmp_path):
    assert output("examples", tmp_path / "mine") == f"11 files are in {tmp_path / 'mine'}\n"
    copies = [file for file in (tmp_path / "mine").rglob("*") if file.is_file()]
    assert len(copies) == 11
    assert all(copy.read_text() == (EXAMPLES / copy.relative_to(tmp_path / "mine")).read_text() for copy in copies)
    for copy in copies[1:]:
        copy.unlink()
    copies[0].write_text("changed")
    assert refused("examples", tmp_path / "mine") == f"{copies[0]} exists and is not overwritten; give another folder"
    assert [file for file in (tmp_path / "mine").rglob("*") if file.is_file()] == copies[:1]
    assert copies[0].read_text() == "changed"


def test_a_file_is_no_folder_for_them(refused, tmp_path):
    (tmp_path / "file").write_text("")
    assert (
        refused("examples", tmp_path / "file")
        == f"FOLDER {tmp_path / 'file'} is a file; give a folder, which need not exist"
    )
