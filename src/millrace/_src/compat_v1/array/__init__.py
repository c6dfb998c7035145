"""Functions of `tf.compat.v1` on arrays whose arguments differ from those of `tf`. Start with `constants.py`."""
