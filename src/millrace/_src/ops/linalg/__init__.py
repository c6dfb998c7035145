"""Ops of `tf.linalg`."""
