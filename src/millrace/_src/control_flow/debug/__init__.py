"""Assertions about values: a graph holds them in branches, which is why they stand above control flow."""
