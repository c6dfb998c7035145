"""`tf.function`: trace types, the trace cache, tracing, concrete functions."""
