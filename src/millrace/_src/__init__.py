"""Millrace's internals; the public names are in `millrace` itself."""
