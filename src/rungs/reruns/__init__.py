"""Why jobs would run: what Snakemake plans, explained by the edits behind it."""
