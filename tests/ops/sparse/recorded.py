"""Small programs and what TensorFlow 2.21 answered, as text.

A program is an expression of the names in `NAMES`. A line of a record is the program, the answer of an eager call and
the answer of a `tf.function`; None where the second answer is the first. An answer is a value, written by `text_of`, or
the class of an exception and the start of its message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

Record = tuple[str, str, str | None]


def sparse(indices: Any, values: Any, shape: Any) -> Any:
    """A sparse tensor of a list of indices, a list of values and a list of dimensions."""
    return tf.SparseTensor(np.array(indices, np.int64).reshape(len(values), len(shape)), values, np.int64(shape))


def rows(*lines: Any) -> Any:
    """A matrix of int64."""
    return tf.constant(np.array(lines, np.int64).reshape(len(lines), -1))


def longs(*numbers: Any) -> Any:
    """An int64 tensor of the arguments."""
    return tf.constant(numbers, tf.int64)


def grads(function: Callable[..., Any], *values: Any) -> Any:
    """The gradients of a function with respect to its arguments."""
    tensors = [v if isinstance(v, tf.Tensor) else tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    return tape.gradient(result, tensors)


NAMES: dict[str, Any] = {
    "tf": tf,
    "np": np,
    "R": tf.raw_ops,
    "c": tf.constant,
    "S": sparse,
    "I": rows,
    "L": longs,
    "none": lambda dtype=tf.int32: tf.constant([], dtype),
    "grads": grads,
}


def text_of(value: Any) -> str:
    """Writes a nest of tensors: dtypes and values, rounded to five digits."""
    if isinstance(value, tf.SparseTensor):
        return f"Sp({', '.join(map(text_of, (value.indices, value.values, value.dense_shape)))})"
    if isinstance(value, tf.RaggedTensor):
        return f"Rag{value.to_list()!r}"
    if isinstance(value, tf.IndexedSlices):
        return f"IS({', '.join(map(text_of, (value.indices, value.values, value.dense_shape)))})"
    if isinstance(value, tf.Tensor):
        return _tensor_text(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {text_of(v)}' for k, v in value.items())}}}"
    return f"[{', '.join(map(text_of, value))}]" if isinstance(value, (list, tuple)) else repr(value)


def _tensor_text(tensor: Any) -> str:
    if tensor.dtype == tf.variant:
        return f"variant{tensor.shape}"
    array = tensor.numpy()
    if isinstance(array, bytes):
        return f"str:{array!r}"
    if isinstance(array, np.ndarray) and not array.size:
        return f"{tensor.dtype.name}{list(array.shape)}"
    if array.dtype.kind == "f" or tensor.dtype.name == "bfloat16":
        array = np.round(array.astype("float64"), 5) + 0.0
    return f"{tensor.dtype.name}:{array.tolist()!r}"


def check(record: Record, mode: str, names: dict[str, Any]) -> None:
    """Asserts that a program answers as TensorFlow did."""
    program, eager_answer, function_answer = record
    answer = eager_answer if mode == "eager" or function_answer is None else function_answer
    code = compile(program, "<program>", "eval")

    def run() -> Any:
        return eval(code, {**NAMES, **names})

    call = run if mode == "eager" else tf.function(run, autograph=False)
    failure = re.match(r"(\w+(?:Error|Exception)): (.*)", answer, re.DOTALL)
    if failure is None:
        assert text_of(call()) == answer.replace("-0.0,", "0.0,").replace("-0.0]", "0.0]")
        return
    with pytest.raises(Exception) as caught:
        call()
    assert type(caught.value).__name__ == failure[1]
    assert failure[2] in str(caught.value)
