"""What `inspect` finds in files: a module for each kind of file. Start with `records.py`."""
