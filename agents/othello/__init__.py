"""What players and learners know of Othello."""
