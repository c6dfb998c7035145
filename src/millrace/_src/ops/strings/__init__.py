"""Ops of `tf.strings`."""
