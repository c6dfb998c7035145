"""Programs where millrace deliberately answers otherwise than TensorFlow, with the reason and our answer.

Keys are `topic::program`. `expected` is the JSON form of our own answer (see encoding.py). Only what the design
documents as better than TensorFlow belongs here; everything else is a bug.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Difference(NamedTuple):
    """One deliberate difference."""

    reason: str
    expected: Any


DIFFERENCES: dict[str, Difference] = {
    "gather_scatter::ensure_and_guarantee": Difference(
        reason="A kernel knows arguments, not nodes: the tensor is called `input`, as in eager mode.",
        expected=[
            {"data": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "tensor": "float32[3,2]"},
            [{"TensorShape": [None, 2]}],
            {
                "message": "Graph execution error: Shape of tensor input [3] is not compatible with expected shape",
                "mro": ["OpError", "Exception", "BaseException", "object"],
                "raised": "InvalidArgumentError",
                "words": 7,
            },
        ],
    ),
    "gradient_functions::function_with_several_outputs": Difference(
        reason="An integer target has no gradient: None and a warning, as in eager mode; TensorFlow gives 0.",
        expected=[
            {"data": [2.0, 2.0], "tensor": "float32[2]"},
            None,
            {"data": [3.0, 5.0], "tensor": "float32[2]"},
            {"data": [0.0, 0.0], "tensor": "float32[2]"},
            {"data": [5.0, 7.0], "tensor": "float32[2]"},
            {"data": [1, 2], "tensor": "int32[2]"},
        ],
    ),
    "graphs::eager_tensor_in_graph": Difference(
        reason="Where a plain graph refuses an eager tensor, TensorFlow leaves the other operand's constant behind.",
        expected=[
            {
                "message": "x: Attempting to capture an EagerTensor without building a function.",
                "mro": ["Exception", "BaseException", "object"],
                "raised": "RuntimeError",
                "words": 6,
            },
            [],
        ],
    ),
    "shapes_and_specs::get_static_value": Difference(
        reason="More values are known while tracing: any op without effects is folded if its inputs are constants.",
        expected=[
            {"data": [3], "ndarray": "int32[1]"},
            [
                {"data": [1, 2], "ndarray": "int32[2]"},
                {"data": [2, 3], "ndarray": "int32[2]"},
                {"data": [2, 3], "ndarray": "int32[2]"},
                {"data": [2], "ndarray": "int32[]"},
                None,
                {"data": [0.0, 0.0], "ndarray": "float32[2]"},
                {"data": [0, 1, 2], "ndarray": "int32[3]"},
                {"data": [1, 2], "ndarray": "int32[2]"},
                {"data": [2], "ndarray": "int32[]"},
                {"data": [6], "ndarray": "int32[]"},
                {"data": [2.0], "ndarray": "float32[]"},
            ],
            None,
        ],
    ),
}
