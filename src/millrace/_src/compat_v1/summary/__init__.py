"""`tf.compat.v1.summary`: summaries as strings that a session computes, and writers that add them to files."""
