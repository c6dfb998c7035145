"""Ops of `tf.math`."""
