"""The wire formats: TensorFlow's messages under a package name of our own."""
