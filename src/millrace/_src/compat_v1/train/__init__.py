"""Training in TensorFlow 1: savers, optimizers, learning rates, steps."""
