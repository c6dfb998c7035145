"""`tf.experimental.dlpack`: tensors shared with other libraries without a copy.

Tests: tests/core/test_tensor.py, tests/oracle/programs/text_forms.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core.composite_gradients import consists_of_parts
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import from_np
from millrace._src.core.errors import invalid
from millrace._src.core.tensor import EagerTensor
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: TensorLike) -> Any:
    """Makes a DLPack capsule of an eager tensor.

    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1., 2.]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1.0, 2.0]

    Args: tf_tensor: an eager Tensor of a dtype that DLPack knows.
    Returns: A PyCapsule, which can be consumed once.
    Raises:
      BufferError: if DLPack has no such dtype.
      tf.errors.InvalidArgumentError: for a composite of several tensors, such as a RaggedTensor.
    """
    if consists_of_parts[type(tf_tensor)]:
        raise invalid(
            "The argument to `to_dlpack` must be a TF tensor, not Python object; received a "
            f"{type(tf_tensor).__name__}, which consists of several tensors."
        )
    return convert_to_tensor(tf_tensor).__dlpack__()


class _Capsule:
    """A producer object around a bare capsule, because NumPy reads capsules from producer objects only."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **kwargs: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: object) -> EagerTensor:
    """Makes a tensor over the memory of a DLPack capsule, or of any object with `__dlpack__`.

    >>> import numpy as np
    >>> tf.experimental.dlpack.from_dlpack(np.array([1, 2])).numpy().tolist()
    [1, 2]

    Args: dlcapsule: a PyCapsule in main memory, or an object with `__dlpack__`.
    Returns: A Tensor.
    Raises: RuntimeError: if the memory is not the CPU's.
    """
    producer = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    array = np.from_dlpack(producer)
    return EagerTensor(array, from_np(array.dtype))
