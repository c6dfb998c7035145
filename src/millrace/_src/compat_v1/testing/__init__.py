"""`tf.compat.v1.test`, where it differs from `tf.test`: `attributes_and_folders.py`, `numeric_gradients.py`."""
