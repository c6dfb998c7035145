"""Sessions of TensorFlow 1: running parts of a plain graph, with state that lives as long as the session."""
