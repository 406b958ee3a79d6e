"""From evaluations to tables: tidy observations, means and intervals over seeds."""
