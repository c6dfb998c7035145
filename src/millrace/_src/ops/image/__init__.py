"""Images: files, sizes, crops and colors (`tf.image`).

Files are decoded by `decoding.py` and its neighbours; resizing is two passes of weighted sums (`resampling.py`).
Start with `resizing.py`.
"""
