"""`tf.compat.v1.distributions`: distributions of numbers and counts, from which TensorFlow Probability grew.

Start with `distribution.py: Distribution`.
"""
