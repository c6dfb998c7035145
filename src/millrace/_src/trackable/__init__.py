"""Objects that a checkpoint can walk. Importing one of the modules registers the wrappers of lists, dicts and tuples.

Setting an attribute makes an object a child (`auto.py`); a checkpoint asks each object for its children and tensors
(`base.py: Trackable`), and gives values back, also to objects that do not exist yet (`deferred_restoration.py`).
Start with `base.py`.
"""

from millrace._src.trackable import dict_wrapper, list_wrapper, tuple_wrapper

__all__ = ["dict_wrapper", "list_wrapper", "tuple_wrapper"]
