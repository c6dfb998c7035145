"""Ops and functions of `tf.io`: files, and the records in files.

Paths pass through `file_systems.py` to a `FileSystem` (`file_system.py`); records through `record_reader.py` and
`record_writer.py`; Examples through `parsing.py` to columns and tensors. Start with `gfile.py`.
"""
