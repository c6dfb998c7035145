"""Signatures and the tensors that they name."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1
sm = v1.saved_model


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as g:
        v1.placeholder(tf.float32, [None, 2], name="x")
        v1.placeholder(tf.string, [None], name="s")
        yield g


def test_tensors_are_named_and_found(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    info = sm.build_tensor_info(x)
    assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == (
        "x:0",
        tf.float32.as_datatype_enum,
        [-1, 2],
    )
    assert sm.get_tensor_from_tensor_info(info) is x
    sparse = v1.sparse_placeholder(tf.float32, name="sp")
    found = sm.utils.get_tensor_from_tensor_info(sm.build_tensor_info(sparse), graph=graph)
    assert (found.indices is sparse.indices, found.values is sparse.values) == (True, True)
    ragged = v1.ragged.placeholder(tf.int32, 1, [], name="rg")
    again = sm.get_tensor_from_tensor_info(sm.build_tensor_info(ragged), graph)
    assert again.flat_values is ragged.flat_values and again.row_splits is ragged.row_splits
    with tf.Graph().as_default() as other, pytest.raises(KeyError, match="part/x"):
        sm.get_tensor_from_tensor_info(info, other, import_scope="part")
    with pytest.raises(RuntimeError, match="takes a tensor of a graph"):
        sm.build_tensor_info(3)
    with pytest.raises(ValueError, match=r"Invalid TensorInfo.encoding"):
        sm.get_tensor_from_tensor_info(type(info)())


def test_the_three_kinds_of_signatures(graph: Any) -> None:
    x, s = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("s:0")
    predict = sm.predict_signature_def({"a": x}, {"b": s})
    classify = sm.classification_signature_def(s, s, x)
    regress = sm.regression_signature_def(s, x)
    kinds = [signature.method_name.rpartition("/")[2] for signature in (predict, classify, regress)]
    assert kinds == ["predict", "classify", "regress"]
    assert all(map(sm.is_valid_signature, (predict, classify, regress)))
    assert sorted(classify.outputs) == ["classes", "scores"] and sorted(regress.outputs) == ["outputs"]
    assert not sm.is_valid_signature(sm.build_signature_def({}, {}, "some/method"))
    assert not sm.is_valid_signature(sm.build_signature_def(predict.inputs, predict.outputs, "some/method"))
    classify.inputs["inputs"].dtype = tf.float32.as_datatype_enum
    assert not sm.is_valid_signature(classify)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x, s: sm.predict_signature_def({}, {"b": s}), "`inputs` cannot be None or empty"),
        (lambda x, s: sm.predict_signature_def({"a": x}, None), "`outputs` cannot be None or empty"),
        (lambda x, s: sm.classification_signature_def(x, s, x), "must be of type string"),
        (lambda x, s: sm.classification_signature_def(None, s, x), "`examples` cannot be None"),
        (lambda x, s: sm.classification_signature_def(s, None, None), "cannot both be None"),
        (lambda x, s: sm.regression_signature_def(s, s), "must be of type float"),
        (lambda x, s: sm.regression_signature_def(s, None), "`predictions` cannot be None"),
        (lambda x, s: sm.regression_signature_def(None, x), "`examples` cannot be None"),
    ],
)
def test_impossible_signatures_are_refused(graph: Any, make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("s:0"))
