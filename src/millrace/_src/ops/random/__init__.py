"""Ops of `tf.random`."""
