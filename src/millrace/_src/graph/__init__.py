"""Graphs as data: operations, functions, their text and wire forms."""
