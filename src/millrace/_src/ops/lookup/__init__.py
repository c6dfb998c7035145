"""Lookup tables: what they hold (`tables.py`), and the ops on them (`table_ops.py`). What users hold is in
`state/lookup/`.
"""
