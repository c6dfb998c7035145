"""Lookup tables as users hold them."""
