"""Accumulators of gradients, and the ops on them: `accumulators.py` holds the sums, `accumulator_ops.py` declares the
ops.
"""
