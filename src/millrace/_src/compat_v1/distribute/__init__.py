"""`tf.compat.v1.distribute`, where it differs from `tf.distribute`: `strategies.py`."""
