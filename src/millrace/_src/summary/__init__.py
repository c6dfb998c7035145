"""Summaries: what TensorBoard shows of a training run, and the event files that hold it.

A value becomes an event's bytes (`event_encoding.py`), which a writer (`writers.py`) adds to a file
(`event_file.py`). Start with `scalars.py`.
"""
