"""The interface `tf.__internal__.types.Tensor`: what every class that acts as one tensor derives from.

Problem: `tf.Tensor`, `tf.Variable` and Keras's variables are tensors to `tf.is_tensor`, yet a variable is no
`tf.Tensor`, and a variable of Keras is not a `tf.Variable`.

Idea: one empty class above all of them. To act as a tensor is to derive from that class; methods do not count.

Tests: tests/core/test_tensor.py
"""

from __future__ import annotations

from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("__internal__.types.Tensor")
@tensorflow_home("python.types.core")
class Tensor:
    """The base of the classes whose instances act as one tensor: tensors and variables, Keras's too.

    >>> isinstance(tf.Variable(1.0), tf.__internal__.types.Tensor), isinstance(tf.Variable(1.0), tf.Tensor)
    (True, False)
    """

    __slots__ = ()
