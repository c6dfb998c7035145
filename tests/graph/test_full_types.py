"""Full types as TensorFlow 2.21 notes them."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.graph.full_types import full_type_of

_FLOAT = "args { type_id: TFT_TENSOR args { type_id: TFT_FLOAT } }"


@pytest.mark.parametrize(
    ("op", "attrs", "text"),
    [
        ("Shape", {"out_type": tf.int64}, "args { type_id: TFT_SHAPE_TENSOR args { type_id: TFT_INT64 } }"),
        ("EmptyTensorList", {"element_dtype": tf.float32}, f"args {{ type_id: TFT_ARRAY {_FLOAT} }}"),
    ],
)
def test_type_is_tensorflows(op: str, attrs: dict[str, Any], text: str) -> None:
    assert " ".join(str(full_type_of(get_op(op), attrs)).split()) == f"type_id: TFT_PRODUCT {text}"


@pytest.mark.parametrize("op", ["Const", "ShapeN", "TensorListPopBack"])
def test_other_nodes_have_none(op: str) -> None:
    assert full_type_of(get_op(op), {}) is None


def test_list_of_resources_has_none_as_their_dtype_has_no_full_type() -> None:
    assert full_type_of(get_op("EmptyTensorList"), {"element_dtype": tf.resource}) is None
