"""TensorFlow 1: sessions, variable scopes, savers, and names that only `tf.compat.v1` has. No layer below imports it.

Folders follow `tf.compat.v1.*`. A function that differs from `tf`'s in its arguments alone is a row for
`v1_wrappers.py`; names of what lower layers define are rows of `lower_layer_names.py`. A run of a session carries the
part of the graph that it fetches over into a function (`session/steps.py`). Start with `session/session.py`;
variables are in `variables/`, optimizers and savers in `train/`.
"""
