from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.saved_model.signature_map import _SignatureMap
from millrace._src.trackable.base import SaveType


def make_map() -> tuple[_SignatureMap, object]:
    signature = tf.function(lambda x: {"y": x}).get_concrete_function(tf.TensorSpec([], tf.float32))
    signatures = _SignatureMap()
    signatures._add_signature("serving_default", signature)
    return signatures, signature


def test_signatures_are_found_by_name() -> None:
    signatures, signature = make_map()
    assert signatures["serving_default"] is signature
    assert list(signatures) == ["serving_default"] and len(signatures) == 1 and "other" not in signatures
    assert repr(signatures) == f"_SignatureMap({{'serving_default': {signature!r}}})"


def test_a_name_without_signature_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="zz"):
        make_map()[0]["zz"]


def test_users_cannot_change_signatures() -> None:
    with pytest.raises(TypeError):
        make_map()[0]["other"] = None  # type: ignore[index]  # a mapping that refuses


def test_signatures_are_children_in_a_saved_model_and_not_in_a_checkpoint() -> None:
    signatures, signature = make_map()
    assert signatures._trackable_children(SaveType.SAVEDMODEL) == {"serving_default": signature}
    assert signatures._trackable_children() == {}
