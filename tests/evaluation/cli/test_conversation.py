"""A whole conversation of `ludarium play`, with everything that can be asked."""

from typer.testing import CliRunner

from ludarium.evaluation.cli import app

COMMAND = "play hexapawn --seed 3 --seat second --against greedy --name Ann=greedy --hint perfect"
LINES = (
    *("moves", "?", "b2b3", "", "hint", "back", "b3b2", "back", "resign gammon", "resign"),  # and the game is over
    *("moves", "hint", "resign", "b3b2", "back", "members", "b3b2", "", "yes", "quit"),
)
CONVERSATION = """\
Hexapawn: white (Ann), black (you); seed 3; ? for help
 3 p p p
 2 . . .
 1 P P P
   a b c

white (Ann): c1c2
 3 p p p
 2 . . P
 1 P P .
   a b c
black (you) to move> moves
a3a2, b3b2, b3xc2
black (you) to move> ?
A move is typed as the game writes it. If there is only one, an empty line plays it. Besides:
  moves    list the legal moves
  back     take back to your previous decision; the same moves meet the same dice, cards and replies again
  hint     ask an agent, which sees what you see
  resign   give up; in backgammon a single game, or `resign gammon`, `resign backgammon`
  new      another game, with the next seed if you gave one
  members  list the members of the population that the agent comes from, the champion first
  member 3 another game, against that member
  quit     leave; so do Ctrl-D and Ctrl-C
  ?        this help
black (you) to move> b2b3
hexapawn: 'b2b3' is not a legal move; legal: a3a2, b3b2, b3xc2
black (you) to move>\x20
black (you) to move> hint
perfect would play b3xc2, which wins in 3 plies; it expects b3xc2 a1a2 c2xb1
black (you) to move> back
there is no decision of yours to take back
black (you) to move> b3b2

black (you): b3b2
 3 p . p
 2 . p P
 1 P P .
   a b c

white (Ann): a1a2
 3 p . p
 2 P p P
 1 . P .
   a b c

white wins; you lose
moves: c1c2, b3b2, a1a2
again: ludarium play hexapawn --against greedy --name Ann=greedy --seat second --seed 3
again? (yes, no, back) back
 3 p p p
 2 . . P
 1 P P .
   a b c
black (you) to move> resign gammon
hexapawn: 'gammon' cannot be lost by resigning here, only the game, without naming it
black (you) to move> resign

black (you) resigned; you lose (taken back: 1)
moves: c1c2
again: ludarium play hexapawn --against greedy --name Ann=greedy --seat second --seed 3
again? (yes, no, back) moves
none, the game is over
again? (yes, no, back) hint
none, the game is over
again? (yes, no, back) resign
the game is over; there is nothing to resign
again? (yes, no, back) b3b2
'b3b2': the game is over; say yes or new for another one, back, or quit
again? (yes, no, back) back
 3 p p p
 2 . . P
 1 P P .
   a b c
black (you) to move> members
'greedy' does not come from a population: expected ifthen:RUN, gaia:RUN, minimax:RUN, lcs:RUN, gengammon:RUN, \
or the folder of such a run
black (you) to move> b3b2

black (you): b3b2
 3 p . p
 2 . p P
 1 P P .
   a b c

white (Ann): a1a2
 3 p . p
 2 P p P
 1 . P .
   a b c

white wins; you lose (taken back: 2)
moves: c1c2, b3b2, a1a2
again: ludarium play hexapawn --against greedy --name Ann=greedy --seat second --seed 3
again? (yes, no, back)\x20
again? (yes, no, back) yes
Hexapawn: white (Ann), black (you); seed 4; ? for help
 3 p p p
 2 . . .
 1 P P P
   a b c

white (Ann): a1a2
 3 p p p
 2 P . .
 1 . P P
   a b c
black (you) to move> quit

not finished
moves: a1a2
again: ludarium play hexapawn --against greedy --name Ann=greedy --seat second --seed 4
"""


def test_a_conversation():
    said = CliRunner().invoke(app, COMMAND.split(), input="".join(f"{line}\n" for line in LINES))
    assert (said.exit_code, said.output) == (0, CONVERSATION)
