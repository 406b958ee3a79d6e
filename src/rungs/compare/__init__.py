"""Two results folders side by side: two machines, two commits, two configurations."""
