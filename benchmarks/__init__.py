"""Millrace beside TensorFlow, JAX and PyTorch: `python -m benchmarks` (or `make bench`) measures all in one run."""
