"""Writing on: what a trained model says next, token by token."""
