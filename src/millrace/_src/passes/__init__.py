"""The graph optimizer: one file per pass."""
