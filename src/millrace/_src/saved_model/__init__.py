"""SavedModel: programs with their variables in a folder, as TensorFlow writes and reads them.

Saving: objects (`saved_objects.py`), their graph (`export_graph.py`), functions and signatures become messages, then
files (`folder.py`). Loading: messages are checked, objects made again (`loaded_objects.py`), functions built on first
use (`lazy_functions.py`). Start with `save.py` and `load.py`.
"""
