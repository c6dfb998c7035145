"""`tf.compat.v1.data`, where it differs from `tf.data`."""
