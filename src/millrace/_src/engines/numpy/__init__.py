"""The NumPy tier: a graph as one straight-line Python function."""
