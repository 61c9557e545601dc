"""The fields of a request's body, at their limits."""

import pytest

from ludarium.evaluation.table.refusal import Body, Refusal

MOST = 5


@pytest.mark.parametrize(
    ("read", "last", "first_refused"),
    [
        (lambda body: body.text("x", MOST), "a" * MOST, "a" * (MOST + 1)),
        (lambda body: body.texts("x", MOST, 2), ["aa"] * MOST, ["aa"] * (MOST + 1)),
        (lambda body: body.texts("x", MOST, 2), ["aa"], ["aaa"]),
        (lambda body: body.number("x", 1, MOST), MOST, MOST + 1),
        (lambda body: body.number("x", 1, MOST), 1, 0),
        (lambda body: body.numbers("x", 2, 0, MOST), [0, MOST], [0, MOST, 1]),
        (lambda body: body.numbers("x", 2, 0, MOST), [MOST], [MOST + 1]),
        (lambda body: body.numbers("x", 2, 0, MOST), [0], [-1]),
        (lambda body: body.numbers("x", 2, 0, MOST), [1], [True]),
        (lambda body: body.flag("x"), False, 0),
    ],
)
def test_the_last_value_that_is_allowed(read, last, first_refused):
    assert read(Body({"x": last}, ["x"])) == last
    with pytest.raises(Refusal, match="x must "):
        read(Body({"x": first_refused}, ["x"]))


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "nothing"), (True, "true or false"), (3, "a number"), (0.5, "a number"), ([], "a list"), ({}, "an object")],
)
def test_what_is_no_text_is_called_by_its_kind(value, kind):
    with pytest.raises(Refusal, match=f"^x must be a text, not {kind}$"):
        Body({"x": value}, ["x"]).text("x", MOST)


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (lambda body: body.text("x", MOST), "abcdef", "x must have at most 5 characters, not 6"),
        (lambda body: body.texts("x", MOST, 2), "a", "x must be a list of texts, not a text"),
        (lambda body: body.texts("x", MOST, 2), ["a", 1], "x must be a list of texts, not a list"),
        (lambda body: body.texts("x", MOST, 2), ["abc"], "x must be at most 5 texts of at most 2 characters"),
        (lambda body: body.number("x", 1, MOST), 10**50, f"x must be a whole number from 1 to 5, not 1{'0' * 39}"),
        (lambda body: body.number("x", 1, MOST), 1.0, "x must be a whole number from 1 to 5, not 1.0"),
        (lambda body: body.number("x", 1, MOST), True, "x must be a whole number from 1 to 5, not true or false"),
        (lambda body: body.number("x", 1, MOST), "3", "x must be a whole number from 1 to 5, not a text"),
        (lambda body: body.numbers("x", MOST, 0, 9), 3, "x must be a list of at most 5 whole numbers"),
        (lambda body: body.numbers("x", MOST, 0, 9), [1, "2"], "x must be whole numbers from 0 to 9"),
        (lambda body: body.flag("x"), "yes", "x must be true or false, not a text"),
    ],
)
def test_a_field_that_is_refused_says_why(read, value, sentence):
    with pytest.raises(Refusal) as refused:
        read(Body({"x": value}, ["x"]))
    assert (f"{refused.value}", refused.value.status) == (sentence, 400)


@pytest.mark.parametrize("character", [0, 0xD800, 0xDFFF])
def test_a_text_holds_whole_characters(character):
    body = Body({"x": chr(character), "y": [chr(character)], "whole": "\ud7ff\ue000"}, ["x", "y", "whole"])
    assert body.text("whole", MOST) == "\ud7ff\ue000"  # next to the halves
    for name, read in (("x", lambda: body.text("x", MOST)), ("y", lambda: body.texts("y", 1, 1))):
        with pytest.raises(Refusal, match=f"{name} holds a null character or half a character, which no text may"):
            read()


def test_a_field_that_is_null_is_not_there():
    assert "x" not in Body({"x": None}, ["x"])
    assert "x" in Body({"x": False}, ["x"])


def test_only_known_fields_of_an_object():
    with pytest.raises(Refusal, match="unknown field 'y'; the fields are: x, z"):
        Body({"y": 1}, ["x", "z"])
    with pytest.raises(Refusal, match=f"unknown field '{'y' * 40}'; the fields are: none"):
        Body({"y" * 41: 1}, [])
    with pytest.raises(Refusal, match="must be a JSON object, not a list"):
        Body([], ["x"])


def test_long_refusals_are_cut():
    for length in (501, 5000):
        assert f"{Refusal('a' * length)}" == "a" * 500 + "…"
    assert f"{Refusal('a' * 500)}" == "a" * 500
