"""Variables of TensorFlow 1: by name, in scopes, in collections of the graph."""
