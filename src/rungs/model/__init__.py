"""The language model and its pieces: attention, positions, blocks."""
