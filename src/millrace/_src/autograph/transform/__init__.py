"""Python functions rewritten as syntax trees; knows nothing of tensors.

A function's source comes in (`source.py`), code objects go out (`function_conversion.py`). The inline form runs as the
user wrote it (`control_flow_inline.py`); the compact form has blocks as functions (`control_flow_compact.py`). Start
with `function_conversion.py`.
"""
