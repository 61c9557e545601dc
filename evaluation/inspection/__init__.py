"""What is inside a player that was trained here, as far as its learner shows it.

runs.py    the run behind an agent's name, and its members
games.py   the games that are watched, and what a move does in a position
text.py    what was found, as text and as data          picture.py   as a picture
"""
