"""What all learners share: options, the loop that runs them, checkpoints, measurement, evolution."""
