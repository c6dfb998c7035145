"""Summaries: what TensorBoard shows of a training run, and the event files that hold it."""
