"""Training in TensorFlow 1: optimizers, savers, learning rates, monitored sessions, input by queues.

Start with `optimizer.py`, `saver.py` or `monitored_session.py`.
"""
