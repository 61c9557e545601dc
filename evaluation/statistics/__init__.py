"""What results say, and how surely: pure functions of numbers, which know no game and no agent."""
