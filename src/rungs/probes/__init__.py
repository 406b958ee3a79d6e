"""Measurements that need no training, one file for each question the chapters ask."""
