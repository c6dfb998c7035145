"""Ops and functions of `tf.io`: files, and the records in files."""
