"""Objects a checkpoint can walk. Whoever imports one of the modules has all wrappers registered."""

from millrace._src.trackable import dict_wrapper, list_wrapper, tuple_wrapper

__all__ = ["dict_wrapper", "list_wrapper", "tuple_wrapper"]
