"""The ops of `tf.signal`: Fourier and cosine transforms, frames, windows, spectrograms. Start with `fourier.py`."""
