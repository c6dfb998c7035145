"""Ops of `tf.linalg`. Start with `cholesky.py`: a kernel, a shape rule, a gradient."""
