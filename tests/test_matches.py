"""Match files are fetched from archives of repositories: from a server, or from a folder."""

import functools
import http.server
import importlib
import io
import tarfile
import threading
from pathlib import Path

import pytest

from ludarium.envs.backgammon.recorded_decisions import build, read_played
from ludarium.envs.record_files import files_in

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "envs" / "backgammon" / "data"


@pytest.fixture
def matches(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("matches")


def archive(matches, site, name, files):
    """Put an archive where the site has that of a collection; files without content are links out of the folder."""
    path = site / matches.COLLECTIONS[name].repository / "archive" / "HEAD.tar.gz"
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:gz") as packed:
        for file, content in files.items():
            member = tarfile.TarInfo(f"repository-0f3a/{file}")
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "../../../secret.txt"
                packed.addfile(member)
            else:
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def site(matches, tmp_path):
    example, match = ((DATA / file).read_bytes() for file in ("gengammon.txt", "match.mat"))
    folder = matches.COLLECTIONS["gengammon"].folder
    files = {
        "README.txt": b"not a match",
        f"GeneticBackgamon/{folder}/one%20game.txt": example,
        f"GeneticBackgamon/{folder}/deeper/../../../../two.MAT": match,
        f"GeneticBackgamon/{folder}/links.txt": None,
        f"GeneticBackgamon/{folder}/board.png": b"\x89PNG",
    }
    archive(matches, tmp_path / "site", "gengammon", files)
    return tmp_path / "site"


def test_matches_come_from_a_server_and_give_decisions(matches, site, tmp_path, capsys, monkeypatch):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    monkeypatch.setattr(handler.func, "log_message", lambda *text: None)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr("sys.argv", ["", str(tmp_path / "new"), "--collection", "gengammon", "--site", address])
        matches.main()
        server.shutdown()
    assert "gengammon: 2 files" in capsys.readouterr().out
    files = files_in(tmp_path / "new")
    assert [file.relative_to(tmp_path / "new").as_posix() for file in files] == [
        "gengammon/one%20game.txt",
        "gengammon/two.MAT",
    ]
    decisions, tally = build(game for file in files for game in read_played(file))
    assert (tally.games, tally.matches, len(decisions)) == (3, 2, 19)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"README.txt": b""}, "there are no text files in a folder DatabaseOfMatches"),
        ({"DatabaseOfMatches/one.txt": b"x" * 101}, "the match files have more than 100 bytes"),
        (None, "the archive cannot be read"),
    ],
)
def test_what_is_no_collection_is_told(matches, tmp_path, monkeypatch, files, message):
    monkeypatch.setattr(matches, "LARGEST", 100)
    path = archive(matches, tmp_path, "bg-mining", files or {"DatabaseOfMatches/one.txt": b""})
    if files is None:
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match=message):
        matches.fetch("bg-mining", tmp_path / "new", tmp_path.as_uri())
