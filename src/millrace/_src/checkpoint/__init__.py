"""Checkpoints: the values of variables in TensorFlow's files, and the objects they belong to."""
