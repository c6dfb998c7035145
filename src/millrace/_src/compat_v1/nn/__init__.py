"""`tf.compat.v1.nn`, where it differs from `tf.nn`: old arguments (`convolution.py`), recurrent networks
(`dynamic_recurrence.py`).
"""
