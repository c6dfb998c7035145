"""Two switches of TensorFlow 1: dimensions as objects, and tensors that are equal only to themselves.

The classes that are concerned change their own methods, so that a program that never switches pays nothing.
"""

from __future__ import annotations

from millrace._src.core.dimension_objects import present_dimensions
from millrace._src.core.identity_comparison import compare_by_identity
from millrace._src.util.export import export


@export(v1=["enable_tensor_equality"])
def enable_tensor_equality() -> None:
    """Lets `==` and `!=` compare tensors and variables element by element, as they do from the start.

    >>> tf.compat.v1.enable_tensor_equality()
    >>> (tf.constant([1, 2]) == tf.constant([1, 3])).numpy()
    array([ True, False])
    """
    compare_by_identity(False)


@export(v1=["disable_tensor_equality"])
def disable_tensor_equality() -> None:
    """Lets `==` and `!=` ask whether two tensors or variables are the same object, so that they can be keys.

    >>> tf.compat.v1.disable_tensor_equality()
    >>> a = tf.constant(1)
    >>> a == a, a == tf.constant(1), {a: "key"}[a]
    (True, False, 'key')
    >>> tf.compat.v1.enable_tensor_equality()
    """
    compare_by_identity(True)


@export(v1=["enable_v2_tensorshape"])
def enable_v2_tensorshape() -> None:
    """Lets the dimensions of a `tf.TensorShape` be integers and None, as they are from the start.

    >>> tf.compat.v1.enable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0]
    2
    """
    present_dimensions(as_objects=False)


@export(v1=["disable_v2_tensorshape"])
def disable_v2_tensorshape() -> None:
    """Lets the dimensions of a `tf.TensorShape` be `Dimension` objects, as in TensorFlow 1.

    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.ones([2, 3]).shape[0].value
    2
    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    present_dimensions(as_objects=True)
