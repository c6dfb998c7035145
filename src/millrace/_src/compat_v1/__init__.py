"""Names of TensorFlow 1; nothing below imports this."""
