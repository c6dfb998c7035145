"""`SaveableObject`: TensorFlow's older protocol for a class to say which tensors a checkpoint takes of its instances.

Problem: classes written for `tf.compat.v1.train.Saver` give objects that know their tensors and how to take the
tensors back. Such classes are still checkpointed.

Idea: the two classes are plain records. `_gather_saveables_for_checkpoint` returns, by name, functions that make a
`SaveableObject` for a key; the object's specs are then what is saved (`checkpoint/saved_attributes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.dtypes import as_dtype
from millrace._src.core.tensor import EagerTensor


class SaveSpec:
    """One tensor that is saved: its value, its key and, for a part of a larger tensor, which part it is.

    Args:
      tensor: the tensor, or a function without arguments that returns the tensor.
      slice_spec: the part as text, such as "10 20 0,10:-"; "" for a whole tensor.
      name: the key in the checkpoint.
      dtype: the dtype; needed where `tensor` is a function.
      device: the device of the tensor; that of the tensor itself if None.
    """

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: Any = None) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and dtype is None:
            raise AssertionError("When passing a callable `tensor` to a SaveSpec, an explicit dtype must be provided.")
        self.dtype = tensor.dtype if dtype is None else as_dtype(dtype)
        self.device = tensor.device if device is None and isinstance(tensor, EagerTensor) else device

    @property
    def tensor(self) -> Any:
        """The value now."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Several tensors that are saved and restored together.

    Args:
      op: the object that owns the tensors.
      specs: a `SaveSpec` for each tensor.
      name: the name in the checkpoint that the keys of all tensors begin with.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        """Whether a checkpoint may lack the tensors."""
        return False

    @property
    def device(self) -> Any:
        """The device of the first tensor."""
        return self.specs[0].device

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Takes over the saved tensors, one for each spec.

        Raises: ValueError: where the class does not say how.
        """
        raise ValueError(f"{type(self).__name__} does not say how to restore its tensors: `restore` is to be defined.")


class BaseSaverBuilder:
    """The class under which programs of TensorFlow 1 find the two."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
