"""Assignments to items (`x[i] = v`).

A Python container is changed in place. A tensor cannot change: the graph makes a changed copy, which converted code
assigns to the variable.

Tests: tests/autograph/operators/test_staged_lists.py, tests/autograph/test_corpus.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.autograph.operators.staged_lists import StagedList, TrialList
from millrace._src.autograph.operators.staged_values import is_tensor
from millrace._src.autograph.operators.tensorflow_refusals import refuse_if_strict
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw


def set_item(container: Any, key: Any, value: Any) -> Any:
    """Runs `container[key] = value`; returns the container, or for a tensor a changed copy."""
    if container.__class__ in (StagedList, TrialList) or not is_tensor(container):
        container[key] = value
        return container
    refuse_if_strict(TypeError, "'SymbolicTensor' object does not support item assignment.")
    return _update_tensor(convert_to_tensor(container), key, value)


def _update_tensor(tensor: Any, key: object, value: Any) -> Any:
    """Returns a copy of a tensor with a part replaced; `key` is anything that slices a tensor."""
    size = raw.Size(input=tensor)
    positions = raw.Reshape(tensor=raw.Range(start=0, limit=size, delta=1), shape=raw.Shape(input=tensor))
    selected = positions[key]
    new = raw.BroadcastTo(input=convert_to_tensor(value, dtype=tensor.dtype), shape=raw.Shape(input=selected))
    flat = raw.Reshape(tensor=tensor, shape=[-1])
    indices = raw.Reshape(tensor=selected, shape=[-1, 1])
    changed = raw.TensorScatterUpdate(tensor=flat, indices=indices, updates=raw.Reshape(tensor=new, shape=[-1]))
    result = raw.Reshape(tensor=changed, shape=raw.Shape(input=tensor))
    result.set_shape(tensor.shape)
    return result


class _Key:
    """An object whose item at a key is the key: `key[i:j, k]` gives what stands between the brackets."""

    def __getitem__(self, key: object) -> Any:
        return key


key = _Key()
