"""Archives that are damaged, or made to do harm."""

import io
import re
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.baselines.perceptron import Network
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.runs import Run
from ludarium.envs import files
from ludarium.envs.backgammon import decision_files
from ludarium.envs.files import open_archive, read_arrays, read_part, reading, replacing

ROOT = Path(__file__).parents[2]


def archive(parts, packing=zipfile.ZIP_DEFLATED):
    """An archive in memory."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return file


def array(content, **header):
    """The bytes of an array whose header says something else."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|i1", "fortran_order": False, "shape": (3,), **header})
    return file.getvalue() + content


def claiming(file, size):
    """The archive, in which every part claims another size once it is unpacked."""
    data = bytearray(file.getvalue())
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        for match in re.finditer(re.escape(mark), bytes(data)):
            struct.pack_into("<I", data, match.start() + place, size)
    return io.BytesIO(data)


def test_a_file_is_replaced_once_the_new_one_is_whole(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("before")

    def crash_in_the_middle():
        with replacing(file) as part:
            part.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        crash_in_the_middle()
    assert file.read_text() == "before"
    with replacing(file) as part:
        part.write_text("whole")
        assert file.read_text() == "before"
    assert file.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError("\n no such disk\nstack"), "a.npz: no such disk"),
        (EOFError(), "a.npz: EOFError"),
        (KeyError("b"), "a.npz: 'b'"),
    ],
)
def test_whatever_a_damaged_file_raises_is_one_line_that_names_it(error, message):
    with pytest.raises(ValueError, match=f"^{message}$") as raised, reading("a.npz"):
        raise error
    assert raised.value.__suppress_context__


def test_arrays_are_read_as_they_were_written():
    file, arrays = io.BytesIO(), {"a": np.arange(6).reshape(2, 3), "b": np.array("text"), "c": np.zeros((0, 4), "f2")}
    np.savez_compressed(file, **arrays, d=np.asfortranarray(arrays["a"]))
    read_back = read_arrays(file)
    for name, expected in (arrays | {"d": arrays["a"]}).items():
        assert read_back[name].dtype == expected.dtype
        assert np.array_equal(read_back[name], expected)


def test_what_is_no_archive_holds_no_arrays():
    with pytest.raises(ValueError, match=r"^it is not an \.npz file$"):
        read_arrays(io.BytesIO(b"Dear Ada,"))


def test_arrays_with_headers_of_version_2_are_read():
    header = io.BytesIO()
    np.lib.format.write_array_header_2_0(header, {"descr": "|i1", "fortran_order": False, "shape": (3,)})
    assert read_arrays(archive({"a.npy": header.getvalue() + b"\1\2\3"}))["a"].tolist() == [1, 2, 3]


def test_what_unpacks_to_too_much_is_refused_before(monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1000)
    with open_archive(archive({"a.npy": bytes(600), "b.npy": bytes(400)})) as opened:
        assert read_part(opened, "b.npy") == bytes(400)
    file = archive({"a.npy": bytes(600), "b.npy": bytes(401)})
    monkeypatch.setattr(zipfile.ZipFile, "open", None)  # nothing is read
    with pytest.raises(ValueError, match=r"^it has 1,001 bytes once it is unpacked, and at most 1,000 are read$"):
        read_arrays(file)


def test_all_that_ludarium_ships_is_far_below_the_limit():
    shipped = [path for folder in ("agents", "envs") for path in (ROOT / folder).rglob("*.npz")]
    assert len(shipped) > 5
    assert files.LARGEST == 2_147_483_648
    for path in shipped:
        with open_archive(path) as opened:
            assert sum(part.file_size for part in opened.infolist()) < files.LARGEST / 100


def test_no_more_is_unpacked_than_a_part_claims(monkeypatch):
    """A part of a million bytes that claims to have 200."""
    lying = claiming(archive({"a.npy": array(bytes(10**6), shape=(10**6,))}), 200)
    unpacked, decompressor = [], zipfile._get_decompressor

    class Counting:
        def __init__(self, kind):
            self.inner = decompressor(kind)

        def decompress(self, data, most):
            unpacked.append(self.inner.decompress(data, most))
            return unpacked[-1]

        def __getattr__(self, name):
            return getattr(self.inner, name)

    monkeypatch.setattr(zipfile, "_get_decompressor", Counting)
    with pytest.raises(zipfile.BadZipFile):
        read_arrays(lying)
    with pytest.raises(zipfile.BadZipFile), open_archive(lying) as opened:
        read_part(opened, "a.npy")
    assert 0 < sum(map(len, unpacked)) < 10_000


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_whose_pieces_have_no_bound(packing):
    with pytest.raises(ValueError, match=r"'a.npy' in it is neither stored nor deflated"):
        read_arrays(archive({"a.npy": array(b"abc")}, packing))


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (array(b"abc", shape=(10**12,)), "promises 1,000,000,000,000 bytes, the file holds 3"),
        (array(b"abc", shape=(10**12, 10**12)), "promises 1,0"),
        (array(b"abcd"), "promises 3 bytes, the file holds 4"),
        (array(b"", descr="|V0", shape=(10**15,)), "promises 0 bytes"),
        (array(b"abc", descr="|O"), "Object arrays cannot be loaded when allow_pickle=False"),
        (array(b"abc").replace(b"\x93NUMPY\x01", b"\x93NUMPY\x07"), r"is of version \(7, 0\)"),
        (b"abc", "the magic string is not correct|reading magic string"),
    ],
)
def test_arrays_that_promise_more_than_they_are(part, message):
    with pytest.raises(ValueError, match=message):
        read_arrays(archive({"a.npy": part}))


def test_every_reader_of_archives_has_the_limit(monkeypatch, tmp_path):
    """The sentence says the file, its size and the limit."""
    monkeypatch.setattr(files, "LARGEST", 1000)
    bomb = archive({"a.npy": bytes(1001)}).getvalue()
    said = "it has 1,001 bytes once it is unpacked, and at most 1,000 are read$"
    path = tmp_path / "bomb.npz"
    path.write_bytes(bomb)
    with pytest.raises(ValueError, match=f"^{path}: .*{said}"):
        decision_files.load(path)
    with pytest.raises(ValueError, match=f"^{path}: .*{said}"):
        Network.load(path)
    learner = learner_presets("tabular-q").learner({"game": "hexapawn", "games": 10})
    Run(learner, Checkpoint({}, games=5)).save(tmp_path)
    next(tmp_path.glob("arrays-*.npz")).write_bytes(bomb)
    with pytest.raises(ValueError, match=f"^{tmp_path}: .*{said}"):
        Run.load(tmp_path, type(learner))


def test_nothing_is_unpickled():
    """Arrays are read by `read_arrays` alone, and tensors without pickle."""
    sources = {
        path: path.read_text(encoding="utf-8")
        for folder in ("envs", "agents", "evaluation", "benchmarks", "examples")
        for path in (ROOT / folder).rglob("*.py")
    }
    for path, source in sources.items():
        assert not re.search(
            r"\bnp\.load\(|\ballow_pickle=True|\bpickle\.loads?\(|\bimport (pickle|joblib|dill)", source
        ), path
        for call in re.findall(r"torch\.load\([^\n]*", source):
            assert "weights_only=True" in call, path
