from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing_context import TracingContext
from millrace._src.state.variable_spec import VariableSpec


def test_specs_order_by_shape() -> None:
    wide = VariableSpec([None], tf.float32, True, 0)
    narrow = VariableSpec([3], tf.float32, True, 0)
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([VariableSpec([4], tf.float32, True, 0)]) == wide
    assert narrow.is_compatible_with(wide)


@pytest.mark.parametrize(
    "other",
    [
        VariableSpec([3], tf.float64, True, 0),
        VariableSpec([3], tf.float32, False, 0),
        VariableSpec([3], tf.float32, True, 1),
        tf.TensorSpec([3]),
    ],
)
def test_dtype_trainable_and_alias_must_be_equal(other: object) -> None:
    spec = VariableSpec([3], tf.float32, True, 0)
    assert not spec.is_subtype_of(other) and spec != other
    assert spec.most_specific_common_supertype([other]) is None


def test_the_context_numbers_the_variables_of_a_call() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    same, different = (
        [from_value(x, context).alias_id for x in pair]
        for pair, context in (((v, v), TracingContext()), ((v, w), TracingContext()))
    )
    assert (same, different) == ([0, 0], [0, 1])


def test_a_spec_casts_variables_of_its_kind() -> None:
    v = tf.Variable([1.0])
    spec = VariableSpec([None], tf.float32, True, 0)
    assert spec.cast(v, None) is v
    with pytest.raises(TypeError, match="Can not cast VariableSpec"):
        spec.cast(tf.Variable(1.0), None)
    with pytest.raises(TypeError, match="Can not cast 3 to VariableSpec"):
        spec.cast(3, None)


def test_the_tensor_of_a_variable_is_its_handle() -> None:
    v = tf.Variable(1.0)
    assert from_value(v).to_tensors(v)[0] is v.handle
    assert from_value(v).flatten() == [tf.TensorSpec([], tf.resource)]


def test_the_spec_of_a_variable_says_whether_it_is_trainable() -> None:
    variable = tf.Variable(1.0, trainable=False, shape=tf.TensorShape(None))
    spec = tf.type_spec_from_value(variable)
    assert repr(spec) == "VariableSpec(shape=<unknown>, dtype=tf.float32, trainable=False, alias_id=None)"
    assert isinstance(spec, tf.types.experimental.TraceType)


def test_a_variable_has_a_spec() -> None:
    spec = VariableSpec.from_value(tf.Variable([1.0, 2.0], trainable=False))
    assert repr(spec) == "VariableSpec(shape=(2,), dtype=tf.float32, trainable=False, alias_id=None)"
    for value in (tf.constant(1.0), 1):
        with pytest.raises(TypeError, match=r"VariableSpec\.from_value needs a tf\.Variable"):
            VariableSpec.from_value(value)
