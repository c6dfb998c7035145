"""Ops of `tf.random`, with TensorFlow's bits wherever a seed decides them.

A seed and a counter become 32-bit words (`philox.py`), words become numbers of a distribution. Start with
`stateless.py`.
"""
