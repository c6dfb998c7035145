"""Ops of `tf.audio`."""
