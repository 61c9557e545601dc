"""Looking inside a trained player, as far as its learner shows it.

inside.py  all of it in one call: what the command prints, and what a notebook shows
runs.py    the run that an agent comes from, and its members
games.py   the games in which a player is watched, and what a move does in a position
text.py    the result as text and as data               picture.py   as a picture
"""
