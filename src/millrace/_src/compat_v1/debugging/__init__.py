"""`tf.compat.v1.debugging`, where it differs from `tf.debugging`: `assertions.py`."""
