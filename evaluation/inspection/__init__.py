"""What is inside a player that evolved: its rules or its map, how it uses them, and what they mean.

population.py   the run behind an agent's name, and its members
games.py        the games that are watched, and what a move does in a position
rules.py        lists of rules          maps.py   hash maps
picture.py      either as a picture
"""
