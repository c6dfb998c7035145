"""Ops of `tf.strings`, on object arrays of bytes or on their packed form (`packed.py`). Start with
`transforming.py`.
"""
