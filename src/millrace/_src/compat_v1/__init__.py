"""TensorFlow 1: sessions, variable scopes, savers, and names that only `tf.compat.v1` has. No layer below imports it.

A run of a session carries the part of the graph that it fetches over into a function (`session/steps.py`).
Start with `session/session.py`; variables are in `variables/`, optimizers and savers in `train/`.
"""
