"""Measuring trained models on text they have not seen."""
