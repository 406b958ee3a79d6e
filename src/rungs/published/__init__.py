"""The numbers the chapters published, as data."""
