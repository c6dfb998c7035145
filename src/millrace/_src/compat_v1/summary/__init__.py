"""`tf.compat.v1.summary`: summaries as strings that a session computes (`summary_ops.py`), and writers that add them to
files (`file_writer.py`).
"""
