"""The parts of the exact Othello endgame solver: boards, the last squares, the order of moves."""
