"""Python functions rewritten as syntax trees; knows nothing of tensors.

A function's source comes in (`source.py`), code objects go out (`conversion.py`). The inline form runs as the user
wrote it (`inline.py`); the compact form has blocks as functions (`compact.py`). Start with `conversion.py`.
"""
