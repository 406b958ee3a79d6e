"""From evaluations to tables, figures, claims and the page."""
