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
        (lambda body: body.flag("x"), False, 0),
    ],
)
def test_the_last_value_that_is_allowed(read, last, first_refused):
    assert read(Body({"x": last}, ["x"])) == last
    with pytest.raises(Refusal, match="x must "):
        read(Body({"x": first_refused}, ["x"]))


def test_only_known_fields_of_an_object():
    with pytest.raises(Refusal, match="unknown field 'y'; the fields are: x"):
        Body({"y": 1}, ["x"])
    with pytest.raises(Refusal, match="must be a JSON object, not a list"):
        Body([], ["x"])


def test_long_refusals_are_cut():
    assert len(f"{Refusal('a' * 5000)}") < 600
    assert f"{Refusal('a' * 500)}" == "a" * 500
