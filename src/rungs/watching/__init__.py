"""A running workflow, seen from outside: only files are read."""
