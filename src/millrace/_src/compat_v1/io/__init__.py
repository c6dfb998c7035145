"""`tf.compat.v1.io`, `gfile` and `python_io`, where they differ from `tf.io`. Start with `gfile.py`."""
