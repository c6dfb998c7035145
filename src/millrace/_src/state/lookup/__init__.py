"""Lookup tables as users hold them; the ops are in `ops/lookup/`. Start with `static_hash_table.py`."""
