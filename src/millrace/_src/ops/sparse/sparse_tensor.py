"""`tf.SparseTensor`, which is not built yet, as the class that libraries ask about.

Problem: Keras asks of every value whether it is a sparse tensor, and hands some functions of `tf.sparse` to decorators
while it is imported; both need the names, although no value is sparse.

Idea: the class and those functions exist, and whoever makes a sparse tensor or calls a function is told that they are
not built yet.
"""

from __future__ import annotations

from typing import Any, NoReturn

from millrace._src.core.composite import CompositeTensor
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.{name} is not built yet in Millrace: sparse tensors are missing. Dense tensors, and tf.IndexedSlices for "
        "gradients of gathered rows, work."
    )


@export("SparseTensor", "sparse.SparseTensor")
@tensorflow_home("python.framework.sparse_tensor")
class SparseTensor(CompositeTensor):
    """A sparse tensor; not built yet, so there are no values of the class.

    >>> isinstance(tf.constant([0.0, 1.0]), tf.SparseTensor)
    False
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        _refuse("SparseTensor")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Refuses: sparse tensors are not built yet.

        Raises: NotImplementedError: always.
        """
        _refuse("SparseTensor.from_value")


@export("sparse.add", v1=[])
def sparse_add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Refuses: sparse tensors are not built yet.

    >>> tf.sparse.add(1.0, 2.0)
    Traceback (most recent call last):
    ...
    NotImplementedError: tf.sparse.add is not built yet in Millrace: sparse tensors are missing. ...

    Raises: NotImplementedError: always.
    """
    _refuse("sparse.add")


@export("sparse.maximum")
def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> Any:
    """Refuses: sparse tensors are not built yet.

    Raises: NotImplementedError: always.
    """
    _refuse("sparse.maximum")


@export("sparse.minimum")
def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> Any:
    """Refuses: sparse tensors are not built yet.

    Raises: NotImplementedError: always.
    """
    _refuse("sparse.minimum")
