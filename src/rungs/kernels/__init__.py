"""What one attention layer costs: memory counted byte by byte, and time."""
