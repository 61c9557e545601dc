from types import SimpleNamespace

from ludarium.evaluation.tournament.figures import FORFEITS, REPEATED, VERDICT, Remark, remarks


def test_remarks_end_with_the_most_frequent_causes_of_forfeits():
    often = {f"cause {number:02}": number for number in range(1, 9)}
    rows = [SimpleNamespace(agent=agent, forfeits=often) for agent in ("one", "two")]
    table = SimpleNamespace(verdicts=["accepted"], repeated=[("one", "two")], rows=rows)
    verdict, repeated, *causes, others = remarks(table)
    assert verdict == Remark(VERDICT, "accepted")
    assert repeated.kind == REPEATED
    assert repeated.text.startswith("one and two played the same two games")
    assert causes[:3] == [
        Remark(FORFEITS, "8 × two forfeited: cause 08"),
        Remark(FORFEITS, "8 × one forfeited: cause 08"),
        Remark(FORFEITS, "7 × two forfeited: cause 07"),
    ]
    assert len(causes) == 10
    assert others == Remark(FORFEITS, "… and 6 other causes")


def test_nothing_to_say():
    assert not list(remarks(SimpleNamespace(verdicts=[], repeated=[], rows=[SimpleNamespace(forfeits={})])))
