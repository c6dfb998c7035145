"""Checkpoint files without objects: named tensors, or slices of tensors, in TensorFlow's formats.

Arrays come in under names and go to data files and an index, a LevelDB table (`index_file.py`, `table_format.py`);
new files replace old ones so that a crash loses neither (`publishing.py`). Start with `writer.py` and `reader.py`.
"""
