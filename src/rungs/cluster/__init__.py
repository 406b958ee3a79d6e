"""Working on a SLURM cluster: what the user's site is like, and who waits for what."""
