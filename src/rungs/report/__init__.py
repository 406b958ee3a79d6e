"""Figures and the page, from the tables and the claims."""
