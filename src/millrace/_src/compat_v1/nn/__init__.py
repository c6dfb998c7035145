"""`tf.compat.v1.nn`, where it differs from `tf.nn`."""
