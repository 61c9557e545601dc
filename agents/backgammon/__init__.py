"""What players and learners know of backgammon."""
