"""Training one run: batches, schedule, loop, checkpoint."""
