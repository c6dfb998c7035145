"""Millrace: TensorFlow 2's programming model in pure Python. `import millrace as tf`."""
