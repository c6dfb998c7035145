"""Accumulators of gradients, and the ops on them."""
