"""`tf.io.decode_json_example`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.proto.example_pb2 import Example
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_ONE = '{"features":{"feature":{"f":{"floatList":{"value":[1.5,"NaN",-2]}}}}}'

SAMPLES = [
    Sample("DecodeJSONExample", inputs=(np.array([_ONE.encode(), b"{}"], dtype=object),)),
    Sample("DecodeJSONExample", inputs=(np.array(b"{}", dtype=object),)),
]

_decode = tf.io.decode_json_example


def _values(text: str) -> dict[str, list[Any]]:
    features = Example.FromString(_decode(text).numpy()).features.feature
    return {name: list(getattr(features[name], features[name].WhichOneof("kind")).value) for name in features}


def test_examples_are_read_in_all_their_forms() -> None:
    text = """{"features": {"feature": {
        "a": {"int64List": {"value": ["1", 2]}}, "b": {"bytesList": {"value": ["eP8="]}},
        "c": {"float_list": {"value": [1.5, "Infinity", -2]}}, "e": {"int64List": {}}}}}"""
    assert _values(text) == {"a": [1, 2], "b": [b"x\xff"], "c": [1.5, float("inf"), -2.0], "e": []}


def test_shapes_stay() -> None:
    assert _decode([["{}"], ["{}"]]).numpy().tolist() == [[b""], [b""]]


@pytest.mark.parametrize("text", ["[]", "{", '{"features": 3}', '{"nope": 3}', "", "null", b"\xff"])
def test_what_is_no_example_is_refused(text: str | bytes) -> None:
    check_refusal(lambda: _decode(["{}", text]), tf.errors.InvalidArgumentError, "Error while parsing JSON: ")
