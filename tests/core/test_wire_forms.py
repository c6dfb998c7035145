from __future__ import annotations

import millrace as tf
from millrace._src.core.wire_forms import class_of_kind, kind_of_class


def test_a_kind_finds_its_class_and_a_class_its_kind() -> None:
    assert class_of_kind("SPARSE_TENSOR_SPEC") is tf.SparseTensorSpec
    assert kind_of_class(tf.RaggedTensorSpec) == "RAGGED_TENSOR_SPEC"
    assert class_of_kind("PER_REPLICA_SPEC") is None and kind_of_class(tf.TensorSpec) is None


def test_a_subclass_is_not_of_its_base_class_s_kind() -> None:
    class Own(tf.RaggedTensorSpec):
        pass

    assert kind_of_class(Own) is None
