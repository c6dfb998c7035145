"""Full types as TensorFlow 2.21 notes them."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.graph.full_types import full_type_of

_FLOAT = "args { type_id: TFT_TENSOR args { type_id: TFT_FLOAT } }"
_HANDLE = "args { type_id: TFT_TENSOR args { type_id: TFT_LEGACY_VARIANT } }"
_UNSET = "args { type_id: TFT_TENSOR args { } }"


@pytest.mark.parametrize(
    ("op", "attrs", "text"),
    [
        ("Shape", {"out_type": tf.int64}, "args { type_id: TFT_SHAPE_TENSOR args { type_id: TFT_INT64 } }"),
        ("EmptyTensorList", {"element_dtype": tf.float32}, f"args {{ type_id: TFT_ARRAY {_FLOAT} }}"),
        ("EmptyTensorList", {"element_dtype": tf.variant}, "args { type_id: TFT_ARRAY }"),
        ("EmptyTensorList", {"element_dtype": tf.resource}, f"args {{ type_id: TFT_ARRAY {_UNSET} }}"),
        ("EmptyTensorList", {"element_dtype": tf.bfloat16}, f"args {{ type_id: TFT_ARRAY {_UNSET} }}"),
        (
            "MapDataset",
            {"output_types": [tf.float32, tf.variant]},
            f"args {{ type_id: TFT_DATASET args {{ type_id: TFT_PRODUCT {_FLOAT} {_HANDLE} }} }}",
        ),
        (
            "TextLineDataset",
            {},
            "args { type_id: TFT_DATASET args { type_id: TFT_TENSOR args { type_id: TFT_STRING } } }",
        ),
        (
            "OptionalFromValue",
            {"Toutput_types": [tf.float32]},
            f"args {{ type_id: TFT_OPTIONAL args {{ type_id: TFT_PRODUCT {_FLOAT} }} }}",
        ),
        (
            "AnonymousIteratorV3",
            {"output_types": [tf.float32, tf.variant]},
            "args { type_id: TFT_ITERATOR args { type_id: TFT_PRODUCT args { } args { } } }",
        ),
    ],
)
def test_type_is_tensorflows(op: str, attrs: dict[str, Any], text: str) -> None:
    assert " ".join(str(full_type_of(get_op(op), attrs)).split()) == f"type_id: TFT_PRODUCT {text}"


@pytest.mark.parametrize("op", ["Const", "ShapeN", "TensorListPopBack"])
def test_other_nodes_have_none(op: str) -> None:
    assert full_type_of(get_op(op), {}) is None


def test_an_op_without_outputs_may_have_an_empty_product() -> None:
    assert str(full_type_of(get_op("MakeIterator"), {})) == "type_id: TFT_PRODUCT\n"
