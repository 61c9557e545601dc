"""Advisers and reasons: what agents think of a position, in tables and graphs."""

import pytest

pytestmark = pytest.mark.browser


def ask(page, *advisers):
    """Ask these advisers, in this order, and wait for what they say."""
    for number, name in enumerate(advisers, 1):
        page.until(lambda: page.text(".advisers select"))
        page.driver.execute_script(
            """const select = document.querySelector(".advisers select");
            select.value = arguments[0];
            select.dispatchEvent(new Event("change"));""",
            name,
        )
        page.press("Ask")
        page.until(lambda count=number: len(page.all(".advisers thead th")) == count)
        page.until(lambda: page.all(".advisers tbody tr") and "thinking" not in page.text(".advisers"))


def rows(page):
    """The table of advisers: the words of each cell, without those for the play."""
    return page.driver.execute_script(
        """return [...document.querySelectorAll(".advisers tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
    )


def test_advisers_side_by_side_say_results_in_words_on_one_axis(page):
    page.open("hexapawn", "me", "random", seed=1)
    ask(page, "expert", "mcts")
    assert [first for first, _ in rows(page)] == ["★ loses in 6 plies", "loses in 4 plies", "loses in 4 plies"]
    assert all(float(second.replace("★ ", "")) < 1 for _, second in rows(page))
    assert "Values: result (loss -1, win +1), for the seat to move. ★ what it would play" in page.text(".advisers")
    assert {text.text for text in page.all(".values text")} == {"loss"}
    page.press("Whole game")
    page.until(lambda: len(page.all(".graph .curve")) == 2)
    assert len(page.all(".graph svg")) == 1
    assert [text.text for text in page.all(".graph text")][:4] == [
        "result (loss -1, win +1), for white", "win", "even", "loss"
    ]  # fmt: skip


def test_a_score_is_not_drawn_beside_points(page):
    page.open("backgammon", "me", "me", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    ask(page, "expert", "greedy")
    plays = [row.text for row in page.all(".advisers tbody th")]
    assert plays[:2] == ["8/5 6/5", "24/23 13/10"]
    assert len(set(plays)) == len(plays) == 12
    assert rows(page)[0][0].startswith("★ +0.1")
    assert "Values: expert: points; greedy: score, for the seat to move" in page.text(".advisers")
    page.press("Whole game")
    page.until(lambda: "Not in the graph: greedy" in page.text(".graph"))
    assert page.text(".graph text") == "points, for white"
    assert len(page.all(".graph .curve")) == 1


def test_a_hint_says_a_move_and_its_value_and_a_move_for_me_is_played(page):
    page.open("hexapawn", "me", "random", seed=1)
    page.until(lambda: page.text(".advisers select"))
    page.press("Hint")
    page.until(lambda: page.text("#said").startswith("expert would play "))
    advice = page.client.post(f"tables/{page.key}/advice", agent="expert", ply=0)
    worth = next(one["worth"] for one in advice["opinions"] if one["action"] == advice["move"]["action"])
    assert page.text("#said").endswith(f"{advice['move']['text']}: {worth}")
    assert worth == "loses in 6 plies"
    assert page.client.state(page.key)["history"] == []
    page.press("Move for me")
    page.until(lambda: len(page.all(".history li")) == 2)
    assert page.client.state(page.key)["history"][0]["text"] == advice["move"]["text"]


def test_the_moves_that_lost_most_have_rings(page):
    """In a game of hexapawn in which both sides play the worst move, the exact values say which lost anything."""
    page.open("hexapawn", "me", "me", seed=1)
    lost = []
    while not page.client.state(page.key)["over"]:
        state = page.client.state(page.key)
        opinions = page.client.post(f"tables/{page.key}/advice", agent="expert", ply=len(lost))["opinions"]
        best, worst = opinions[0], min(opinions, key=lambda one: one["value"])
        lost.append(best["value"] - worst["value"])
        page.client.post(f"tables/{page.key}/play", action=worst["action"], version=state["version"])
    page.press("Whole game")
    rings = sum(one > 0 for one in lost)
    assert 0 < rings <= 3
    page.until(lambda: len(page.all(".graph .worst")) == rings)
    named = page.driver.execute_script(
        "return [...document.querySelectorAll('.graph button')].map((b) => b.textContent)"
    )
    assert [int(text.split(".")[0]) - 1 for text in named] == [ply for ply, one in enumerate(lost) if one > 0]
    assert all(text.endswith(" win → loss") for text in named)


def test_features_times_weights_are_a_reason(page):
    page.open("othello", "me", "greedy?evaluation=six", seed=1)
    page.until(lambda: page.all(".target"))
    page.click(".target")
    page.until(lambda: page.text(".why button").startswith("Why "))
    page.one(".why button").click()
    page.until(lambda: page.all(".terms"))
    assert "share of the moves" in page.text(".terms")
    assert page.text(".terms tbody tr:last-child th") == "sum"
