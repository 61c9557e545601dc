"""`ludarium disk`: every package that is needed, the compiled code, and the sum."""

import re


def test_it_lists_what_is_needed_and_the_sum(output, monkeypatch, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.nbc").write_bytes(bytes(1_500_000))
    (tmp_path / "b.nbi").write_bytes(bytes(500_000))
    (tmp_path / "other").write_bytes(bytes(1_000_000))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    out = output("disk")
    sizes = {name: float(size) for size, name in re.findall(r"^ *([\d.]+) MB  (.*)", out, re.MULTILINE)}
    assert sizes["compiled code"] == 2.0
    assert sizes["ludarium"] > 5
    assert {"numba", "llvmlite", "numpy", "gymnasium"} <= set(sizes)  # llvmlite is only needed by numba
    assert "torch" not in sizes
    assert "shellingham" not in sizes  # one of the smaller packages
    assert 0 < sizes["smaller packages"] < 10
    assert list(sizes.values())[:-1] == sorted(list(sizes.values())[:-1], reverse=True)
    total = sizes.pop("in all, without extras")
    assert abs(total - sum(sizes.values())) < 0.1 * len(sizes)
    assert f"compiled code is below {tmp_path}, in *.nbc and *.nbi; it may be deleted\n" in out
