"""Where results go: JSON alone on standard output, whatever else is printed, and files where they can be written."""

import os
import sys

import pytest

from ludarium.evaluation.cli.output import check_out, check_out_folder, output_for_result


def test_json_is_all_that_standard_output_gets(capfd, monkeypatch):
    """From this process, and from others and libraries, which write to the number of the stream."""
    with open(1, "w", encoding="utf-8", closefd=False) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with output_for_result(True) as write:
            print("printed before")
            os.write(1, b"written before\n")
            write({"part": 1})
            assert capfd.readouterr().out == '{"part": 1}\n'  # at once
            print("printed after")
            os.write(1, b"written after\n")
            write({"part": 2})
        print("at the end")
    out, err = capfd.readouterr()
    assert out == '{"part": 2}\nat the end\n'
    assert sorted(err.splitlines()) == ["printed after", "written after"]


def test_without_json_all_goes_to_standard_output(capfd):
    with output_for_result(False) as write:
        print("printed before")
        write({"part": 1})
    assert capfd.readouterr() == ('printed before\n{"part": 1}\n', "")


def test_standard_output_is_back_after_a_mistake(capfd):
    with pytest.raises(ValueError, match="wrong"), output_for_result(True):
        raise ValueError("wrong")
    os.write(1, b"here\n")
    assert capfd.readouterr() == ("here\n", "")


def test_a_place_for_results_need_not_exist_and_is_not_made(tmp_path):
    check_out(None, tmp_path)
    check_out(tmp_path / "new" / "deep" / "x.json", tmp_path / "x.json")
    check_out_folder(tmp_path / "new" / "deep")
    check_out_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []
