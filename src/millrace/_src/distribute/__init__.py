"""Distribution strategies: `tf.distribute`, so far with one replica.

A strategy in scope decides where variables are made and how a step runs (`contexts.py`, `extended.py`).
Start with `strategy.py`, then `one_device_strategy.py`.
"""
