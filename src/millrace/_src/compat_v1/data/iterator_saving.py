"""Saving the state of an iterator of a graph with a `Saver`.

In a checkpoint the state is a string: files hold no variants of iterators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.compat_v1.data.iterators import Iterator
from millrace._src.core.dtypes import bool as bool_
from millrace._src.core.dtypes import string
from millrace._src.data.iterator_ops import iterator_resource_of
from millrace._src.data.iterator_states import restore_iterator
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.ops import raw
from millrace._src.ops.host import numpy_function
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec
from millrace._src.util.export import export


class _IteratorSaveable(SaveableObject):
    """The state of an iterator, for a `Saver`.

    Args:
      handle: the handle of the iterator.
      policy: what to do about state outside of the graph.
    """

    def __init__(self, handle: Any, policy: ExternalStatePolicy) -> None:
        state = raw.SerializeIterator(resource_handle=handle, external_state_policy=policy.value)
        text = numpy_function(_text_of, [state], string)
        text.set_shape([])
        super().__init__(handle, [SaveSpec(text, "", f"{handle.name}_STATE")], handle.name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Lets the iterator go on from the saved state; returns a tensor whose value is of no use."""
        return numpy_function(_restore, [self.op, restored_tensors[0]], bool_)


def _text_of(states: Any) -> Any:
    return np.array(states.reshape(-1)[0].text, object)


def _restore(handle: Any, text: Any) -> Any:
    restore_iterator(iterator_resource_of(handle), text)
    return np.array(True)


@export("data.experimental.make_saveable_from_iterator")
def make_saveable_from_iterator(
    iterator: Iterator, external_state_policy: ExternalStatePolicy | None = None
) -> SaveableObject:
    """Returns what lets a `tf.compat.v1.train.Saver` save the state of an iterator of a graph.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(9))
    ...     element = iterator.get_next()
    ...     saver = tf.compat.v1.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    ...     session.run(iterator.initializer)
    ...     _ = session.run(element)
    ...     path = saver.save(session, tempfile.mkdtemp() + "/model")
    ...     _ = session.run(element)
    ...     saver.restore(session, path)
    ...     print(session.run(element))
    1

    Args:
      iterator: a `tf.compat.v1.data.Iterator`.
      external_state_policy: what to do where the dataset depends on state outside of the graph; None to fail.

    Raises: TypeError: if the iterator is not one of a graph.
    """
    if not isinstance(iterator, Iterator):
        raise TypeError(f"make_saveable_from_iterator takes a tf.compat.v1.data.Iterator; received {iterator!r}")
    return _IteratorSaveable(iterator._iterator_resource, external_state_policy or ExternalStatePolicy.FAIL)
