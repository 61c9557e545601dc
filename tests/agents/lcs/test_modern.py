"""Whole lists learn: the race, the first players, who stays, runs as agents, and what is inside them."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.operators import CHANGES, Limits
from ludarium.agents.lcs.racing import Player, Race, admit, ordered
from ludarium.agents.lcs.tables import tables
from ludarium.agents.lcs.text import read_rules, rules_text
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.games import watch
from ludarium.evaluation.inspection.runs import find_population, find_run

QUICK: dict[str, Any] = {
    "game": "hanabi?score=points-kept", "population": 6, "decks": 40, "season": 3, "games": 1500, "checkpoints": 2,
    "test_games": 20, "rules": 25, "founders": 12,
}  # fmt: skip


def trained(folder: Any, **options: Any) -> Run:
    return Run.load(train(Modern(**{**QUICK, **options}), folder, workers=1), RULES)


def champion(run: Run) -> str:
    learner: Any = run.learner
    return rules_text(learner.list_of(run.arrays, 0))


def points(run: Run) -> float:
    return run.learner.measure(make_game(run.learner.game), run.checkpoint).scores["points"]


def test_it_learns_from_random_rules_and_more_than_random_search(tmp_path: Any) -> None:
    options = {"games": 10_000, "population": 10, "decks": 100, "founders": 60, "test_games": 200}
    evolved = trained(tmp_path / "evolved", **options)
    assert evolved.checkpoint.games <= 10_000
    assert "seats" not in champion(evolved)  # one number of seats: nothing to ask
    twin = trained(tmp_path / "random", breeding="founders", **options)
    assert points(evolved) > points(twin) + 1


def test_children_play_on_only_while_they_keep_up(tmp_path: Any) -> None:
    at = tables(make_game("hanabi?score=points-kept"), "", "")
    keys = np.array([seed_key(5, deck) for deck in range(100)], dtype=np.uint64)
    with workers("threads", 1) as parallel:
        race = Race(at, keys, False, parallel)
        mother = Player(hand_list()[:-5])
        race.renew([mother], 100)
        children = [Player(rules) for rules in (hand_list()[3:], hand_list()[:-5], hand_list())]
        assert race.race(children, [mother] * 3) == [False, False, True]
        assert [len(child.scores) for child in children] == [8, 16, 100]  # worse, alike, better
        assert race.games == 224
        assert all(race.race(children, None))
        race.renew([mother], 30)
        again = Player(mother.rules)
        race.renew([again], 100)
    np.testing.assert_array_equal(mother.scores[:30], again.scores[:30])
    assert len(mother.scores) == 100


def test_a_seeded_run_begins_with_the_written_list_and_keeps_it_among_its_variants() -> None:
    learner = Modern(**{**QUICK, "origin": "hand"})
    arrays = learner.start(make_game(learner.game))
    assert rules_text(learner.list_of(arrays, 0)) == rules_text(hand_list())
    assert len({rules_text(learner.list_of(arrays, place)) for place in range(6)}) > 3


def test_a_run_starts_from_a_file_of_rules_and_keeps_them(tmp_path: Any) -> None:
    file, text = tmp_path / "mine.txt", "play: playable >= 1\nhint, most gain: good and not bad\n"
    file.write_text("# mine\n" + text)
    options = {**QUICK, "origin": str(file), "season": 0}
    learner = Modern(**options)
    assert learner.season == 64
    assert rules_text(learner.list_of(learner.start(make_game(learner.game)), 0)) == text
    folder = train(learner, tmp_path / "run", workers=1)
    file.write_text("play: playable >= 0.5\n")
    assert Run.load(folder, RULES).learner == learner
    with pytest.raises(ValueError, match="the run in this folder has origin="):
        train(Modern(**options), folder, workers=1)


@pytest.mark.parametrize(
    "twin", [{"population": 1}, {"crossover": False}, {"credit": False}, {"covering": False}, {"beliefs": "exact"}]
)
def test_programs_without_a_part_run(tmp_path: Any, twin: dict[str, Any]) -> None:
    run = trained(tmp_path / "run", **{"games": 700, **twin})
    assert 0 < run.checkpoint.games <= 700


def test_the_first_players_are_the_best_of_many() -> None:
    def first_generation(founders: int, **options: Any) -> dict[str, float]:
        learner = Modern(**{**QUICK, "games": 2500, "founders": founders, **options})
        game = make_game(learner.game)
        with workers("threads", 1) as parallel:
            return learner.generation(game, learner.start(game), 0, parallel)

    few, many = first_generation(1), first_generation(100)
    assert many["games"] > few["games"] + 1000
    assert many["mean"] > few["mean"] + 1
    assert first_generation(100, breeding="none")["games"] == 6 * 20
    with pytest.raises(ValueError, match="a generation may take 2000 games"):
        first_generation(100, games=1500)


class Keeping(Modern):
    """A program that deletes no rules."""

    @property
    def limits(self) -> Limits:
        changes = {kind: share for kind, share in CHANGES.items() if kind != "delete"}
        return super().limits._replace(changes=changes)


def test_rules_that_never_fire_are_deleted_if_any_are() -> None:
    for kind, kept in ((Modern, 1), (Keeping, 2)):
        learner = kind(**QUICK, breeding="none")
        game = make_game(learner.game)
        arrays = learner.start(game)
        arrays["lengths"][:], arrays["credit"][:, 0, 0] = 2, 1.0
        with workers("threads", 1) as parallel:
            learner.generation(game, arrays, 0, parallel)
        assert set(arrays["lengths"].tolist()) == {kept}


def test_decks_are_replaced_more_slowly_for_the_written_list() -> None:
    assert [Modern(**{**QUICK, "season": 0, "origin": origin}).season for origin in ("random", "hand")] == [16, 64]


def test_nobody_is_replaced_without_breeding(tmp_path: Any) -> None:
    learner = Modern(**QUICK)
    start = learner.start(make_game(learner.game))
    run = trained(tmp_path / "run", breeding="none", credit=False)
    lists = {rules_text(learner.list_of(start, place)) for place in range(6)}
    assert {rules_text(learner.list_of(run.arrays, place)) for place in range(6)} <= lists


def player(text: str, *scores: int) -> Player:
    return Player(read_rules(text), np.array(scores, dtype=np.float32))


def test_a_child_takes_the_place_of_a_weaker_player_or_of_its_mother() -> None:
    best, mother, worst = player("play", 5, 5), player("discard", 2, 2), player("hint", 1, 1)
    for drawn, leaving in (((0, 2), worst), ((0, 1), mother), ((0, 0), mother)):
        players, child = [best, mother, worst], player("play\ndiscard", 3, 3)
        admit(players, child, mother, drawn)
        assert players == [child if one is leaving else one for one in (best, mother, worst)]
    players = [best, worst]
    admit(players, player("play\ndiscard", 3, 3), mother, (0,))
    assert players == [best, worst]


def test_a_child_that_is_as_good_as_the_one_in_its_place_takes_it() -> None:
    best, mother, worst = player("play", 5, 5), player("discard", 2, 2), player("hint", 1, 1)
    for scores, drawn, leaving in (((0, 2), (0, 2), worst), ((1, 3), (0, 0), mother), ((0, 3), (0, 0), None)):
        players, child = [best, mother, worst], player("play\ndiscard", *scores)
        admit(players, child, mother, drawn)
        assert players == [child if one is leaving else one for one in (best, mother, worst)]


def test_of_players_that_play_alike_the_shorter_stays() -> None:
    long, short, other = player("play\ndiscard", 1, 2), player("play", 1, 2), player("discard", 3, 3)
    players = [long, other]
    admit(players, short, other, (0, 1))
    assert players == [short, other]
    admit(players, long, other, (0, 1))
    assert players == [short, other]
    assert ordered([long, short, other]) == [other, short, long]


def test_runs_as_agents(tmp_path: Any) -> None:
    folder = tmp_path / "run"
    run = trained(folder)
    learner: Any = run.learner
    for spec in ("hanabi", "hanabi?score=points-kept"):
        game = make_game(spec)
        agent: Any = make_agent(f"lcs:{folder}", game)
        assert rules_text(agent.rules) == champion(run)
    member: Any = make_agent(f"lcs:{folder}?member=2", game)
    assert rules_text(member.rules) == rules_text(learner.list_of(run.arrays, 2))
    with pytest.raises(ValueError, match="was trained on hanabi\\?score=points-kept, not on hanabi\\?seats=3"):
        make_agent(f"lcs:{folder}", make_game("hanabi?seats=3"))
    with pytest.raises(ValueError, match="member must be an integer from 0 to 5, not 6"):
        make_agent(f"lcs:{folder}?member=6", game)
    with pytest.raises(ValueError, match="beliefs is for files of rules"):
        make_agent(f"lcs:{folder}?beliefs=exact", game)


def test_inspection_shows_each_rule_in_words_with_what_it_brings(tmp_path: Any) -> None:
    learner = Modern(**{**QUICK, "origin": "hand"})
    game = make_game(learner.game)
    inspection = learner.inspect(game, learner.start(game), 0, watch(game, 2, 0, 1))
    text = "\n".join(inspection.head)
    assert inspection.summary == f"{len(hand_list())} rules"
    assert "if a hint touched it since its owner's last move" in text
    entries = inspection.data["rules"]
    assert [entry["fired"] for entry in entries] == sorted((entry["fired"] for entry in entries), reverse=True)
    signal = next(entry for entry in entries if entry["number"] == 2)
    assert signal["brings"] > 3
    assert inspection.legend is not None
    assert rules_text(read_rules(inspection.data["text"])) == rules_text(hand_list())


def test_inspection_of_a_file_of_rules(tmp_path: Any) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("play: playable >= 1\n" * 41)
    with pytest.raises(ValueError, match=r"mine\.txt: this is a file, and does not say which game it is for"):
        find_run(f"lcs:{file}")
    game = make_game("hanabi?seats=3")
    run, member = find_run(f"lcs:{file}", game)
    inspection = run.inspect(member, watch(game, 2, 0, 1))
    assert (inspection.summary, run.spec(member), run.merits()[member]) == ("41 rules", f"lcs:{file}", "")
    with pytest.raises(ValueError, match=r"does not come from a population: .*mine\.txt is a file"):
        find_population(f"lcs:{file}", game)
    with pytest.raises(ValueError, match=r"mine\.txt: td reads the folders of runs, and no files"):
        find_run(f"td:{file}", game)
