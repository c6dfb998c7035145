"""`tf.compat.v1.test`, where it differs from `tf.test`."""
