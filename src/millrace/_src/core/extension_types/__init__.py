"""Extension types: the user's own classes as values of functions, loops, gradients and datasets.

A class's annotations become fields (`fields.py`); values are taken apart into tensors by their spec
(`extension_spec.py`). Start with `extension_type.py: ExtensionType`.
"""
