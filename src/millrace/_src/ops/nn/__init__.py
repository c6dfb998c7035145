"""Ops of `tf.nn`."""
