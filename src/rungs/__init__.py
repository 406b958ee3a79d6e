"""Reproduce the results of two chapters on the transformer, with their spread over seeds."""
