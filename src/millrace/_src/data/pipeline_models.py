"""`tf.data.experimental.get_model_proto`: a name whose use raises an error."""

from __future__ import annotations

from typing import NoReturn

from millrace._src.data.iterators import IteratorBase
from millrace._src.util.export import export


@export("data.experimental.get_model_proto")
def get_model_proto(iterator: object) -> NoReturn:
    """Refuses: Millrace tunes pipelines by measured trials and has no model of them to show.

    Raises:
      ValueError: if the argument is not an iterator.
      NotImplementedError: for an iterator.
    """
    if not isinstance(iterator, IteratorBase):
        raise ValueError("Only supports `tf.data.Iterator`-typed `iterator`.")
    raise NotImplementedError(
        "tf.data.experimental.get_model_proto: Millrace decides by measured trials what runs in threads, and makes no "
        "model of a pipeline."
    )
