"""Sessions of TensorFlow 1: running parts of a plain graph, with state that lives as long as the session.

Fetches and feeds (`fetches.py`, `feeds.py`) choose a step, the part of the graph that they need as a function
(`steps.py`); its variables, queues and tables belong to the session (`resources.py`). Start with `session.py:
Session`.
"""
