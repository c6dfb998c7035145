"""Ops that look at values while a program runs: assertions, `tf.print`, searches for NaN. Start with `printing.py`."""
