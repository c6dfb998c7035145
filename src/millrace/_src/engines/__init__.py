"""How a graph runs."""
