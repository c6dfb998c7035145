"""`tf.compat.v1.test`, where it differs from `tf.test`: `attributes_and_folders.py`, `graph_gradients.py`."""
