"""Feeds: from what a program gives to the arrays of tensors.

A feed replaces the value of any tensor of the graph. Its value is converted to the tensor's dtype as NumPy casts, and
copied: the program may change its array afterwards.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from millrace._src.compat_v1.session.composite_fetches import kind_of
from millrace._src.compat_v1.session.tensor_handles import TensorHandle
from millrace._src.core import types
from millrace._src.core.context import eager_mode
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.graph import Graph
from millrace._src.ops.session_tensors import TensorStore

Fed = dict[SymbolicTensor, Any]


def flat_feeds(graph: Graph, feed_dict: Mapping[Any, Any]) -> list[tuple[SymbolicTensor, Any]]:
    """Returns the tensors that are fed, each with the value that the program gave for it.

    Args:
      graph: the graph of the session.
      feed_dict: values by tensors, names of tensors, composites, or tuples of such, whose values are tuples.

    Raises: TypeError: if a key is not a tensor of the graph, or `feed_dict` no mapping.
    """
    if not isinstance(feed_dict, Mapping):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of "
            f"'{type(feed_dict).__name__}'."
        )
    pairs: list[tuple[SymbolicTensor, Any]] = []
    for key, value in feed_dict.items():
        _add_feeds(graph, key, value, pairs)
    return pairs


def _add_feeds(graph: Graph, key: object, value: object, pairs: list[tuple[SymbolicTensor, Any]]) -> None:
    if isinstance(key, tuple):
        if not isinstance(value, (list, tuple)) or len(value) != len(key):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(key)} elements, but value had "
                f"{len(value) if isinstance(value, (list, tuple)) else 1} elements. Key: {key}, value: {value}."
            )
        for one_key, one_value in zip(key, value, strict=True):
            _add_feeds(graph, one_key, one_value, pairs)
        return
    kind = kind_of[type(key)]
    if kind is not None:
        for tensor, part in kind.fed(key, value):
            _add_feeds(graph, tensor, part, pairs)
        return
    pairs.append((_fed_tensor(graph, key), _plain_value(key, value)))


def _fed_tensor(graph: Any, key: Any) -> SymbolicTensor:
    try:
        tensor: SymbolicTensor = graph.as_graph_element(key, allow_operation=False)
    except Exception as error:
        text = error.args[0] if isinstance(error, KeyError) else error
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return tensor


def _plain_value(key: object, value: object) -> Any:
    if isinstance(value, types.Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
            f"to the argument `feed_dict` with key {key}."
        )
    return value


def array_of_feed(tensor: SymbolicTensor, value: object, store: TensorStore) -> np.ndarray[Any, Any]:
    """Returns the array of a fed tensor, which no other code holds.

    Args:
      tensor: the tensor.
      value: what the program gave for it.
      store: the tensors that the session keeps; the value may be the handle of one.

    Raises:
      TypeError: if a Python integer does not fit the dtype.
      ValueError: if the value has no array of the dtype, or another shape than the tensor may have.
    """
    wanted = tensor.dtype.np_dtype
    if isinstance(value, TensorHandle):
        value = store.get(value.handle)
    if type(value) is np.ndarray and value.dtype == wanted and wanted.kind != "O":
        array = np.array(value, order="C")
    else:
        array = _convert(tensor, value, wanted)
    if not tensor.shape.is_compatible_with(TensorShape.of(array.shape)):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    return array


def _convert(tensor: SymbolicTensor, value: object, wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if wanted.kind == "O":
        return _string_array(value)
    array = np.asarray(value).astype(wanted, order="C")
    if isinstance(value, int) and array.size == 1 and array != value:
        raise _misfit(value, wanted.type)
    return array


def _string_array(value: object) -> np.ndarray[Any, Any]:
    if isinstance(value, int):
        raise _misfit(value, object)
    with eager_mode():
        array: np.ndarray[Any, Any] = convert_to_tensor(np.asarray(value, dtype=object))._eager_array
    return array


def _misfit(value: object, kind: type) -> TypeError:
    return TypeError(
        f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {kind}. Try explicitly "
        "setting the type of the feed tensor to a larger type (e.g. int64)."
    )
