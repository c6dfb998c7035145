"""Names of TensorFlow 1; no module below imports this package."""
