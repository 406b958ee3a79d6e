"""What runs wrote down, without their weights: enough for every table, figure and verdict."""
