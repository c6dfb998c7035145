from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import millrace as tf
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.trace_builder import from_value
from millrace._src.saved_model.signature_matching import describe, differences, fits, no_match_message

VECTOR = tf.TensorSpec([None], tf.float32, "x")
SCALAR = tf.TensorSpec([], tf.float32)


class Pair(NamedTuple):
    p: Any
    q: Any


class Other(NamedTuple):
    p: Any
    q: Any


def fit(spec: Any, value: Any, converts: bool = False) -> bool:
    return fits([from_value(spec)], [value], converts=converts)


@pytest.mark.parametrize("value", [tf.constant([1.0]), np.float32([1, 2]), tf.Variable([1.0]), tf.TensorSpec([3])])
def test_a_tensor_of_the_dtype_and_shape_fits_as_it_is(value: Any) -> None:
    assert fit(VECTOR, value)


@pytest.mark.parametrize(
    "value", [tf.constant([1]), tf.constant(1.0), np.zeros(2), "x", None, tf.TensorSpec([3], "int32")]
)
def test_a_tensor_of_another_dtype_or_shape_never_fits(value: Any) -> None:
    assert not fit(VECTOR, value) and not fit(VECTOR, value, converts=True)


@pytest.mark.parametrize("value", [[1.0, 2.0], [1], (2.0,)])
def test_python_numbers_fit_when_they_may_be_converted(value: Any) -> None:
    assert not fit(VECTOR, value) and fit(VECTOR, value, converts=True)


@pytest.mark.parametrize(
    ("literal", "same", "other"),
    [
        (True, True, 1),
        (2, 2, 3),
        (2, 2.0, True),
        ("a", "a", "b"),
        (None, None, 0),
        (1.5, np.float64(1.5), 2),
        (0, 0, False),
    ],
)
def test_a_python_value_fits_an_equal_one(literal: Any, same: Any, other: Any) -> None:
    assert fit(literal, same) and not fit(literal, other)
    assert not fit(literal, tf.constant(1.0))


def test_containers_fit_by_kind_length_and_keys() -> None:
    x = tf.constant(1.0)
    assert fit([SCALAR], [x]) and not fit([SCALAR], (x,)) and not fit([SCALAR], [x, x])
    assert fit((SCALAR,), (x,)) and not fit((SCALAR,), Pair(x, x))
    assert fit({"a": SCALAR}, {"a": x}) and not fit({"a": SCALAR}, {"b": x})
    assert not fit({"a": [SCALAR]}, {"a": [tf.constant(1)]})


def test_a_named_tuple_fits_another_of_the_same_fields() -> None:
    x = tf.constant(1.0)
    assert fit(Pair(SCALAR, SCALAR), Other(x, x)) and not fit(Pair(SCALAR, SCALAR), (x, x))


def test_a_type_fits_instead_of_a_value() -> None:
    assert fit({"a": [SCALAR]}, from_value({"a": [SCALAR]})) and not fit([SCALAR], from_value((SCALAR,)))


def test_composites_fit_by_their_specs() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    assert fit(spec, tf.ragged.constant([[1], [2, 3]])) and not fit(spec, tf.ragged.constant([[1.0]]))
    assert not fit(spec, tf.constant([[1]])) and fit(spec, spec)


def test_variables_fit_specs_of_variables() -> None:
    v = tf.Variable([1.0])
    spec = tf.TensorSpec([1])
    assert fit(from_value(v), tf.Variable([2.0])) and not fit(from_value(v), tf.Variable([2])) and fit(spec, v)
    assert not fit(from_value(v), tf.constant([1.0]))


def test_another_number_of_arguments_does_not_fit() -> None:
    assert not fits([VECTOR], [], converts=True) and not fits([], [1], converts=True)


def test_a_difference_says_where_what_and_why() -> None:
    found = list(differences(from_value({"a": [SCALAR, 3]}), {"a": [tf.constant(1), 4]}, "x"))
    assert [str(difference) for difference in found] == [
        "`x['a'][0]` should be a tensor of dtype float32 and shape (), but is a tensor of dtype int32 and shape ()",
        "`x['a'][1]` should be 3, but is 4 (int)",
    ]
    (difference,) = differences(from_value(Pair(SCALAR, 1)), Pair(tf.constant(1.0), 2), "pair")
    assert difference.path == "pair.q"


def test_long_values_are_cut() -> None:
    assert describe("a" * 500).endswith("... (str)") and len(describe("a" * 500)) < 220
    assert describe(np.zeros([2, 3])) == "a tensor of dtype float64 and shape (2, 3)"


def option(*kinds: Any) -> FunctionType:
    either = Parameter.POSITIONAL_OR_KEYWORD
    return FunctionType(Parameter(name, either, False, from_value(kind)) for name, kind in zip("xyz", kinds))


def test_the_message_begins_as_in_tensorflow_and_leads_with_the_nearest_graph() -> None:
    options = [option(VECTOR, True, "a"), option(VECTOR, False, "b")]
    text = no_match_message([tf.constant([1]), False, "b"], options)
    assert text.startswith("Could not find matching concrete function to call loaded from the SavedModel. Got:\n")
    assert "    * x: a tensor of dtype int32 and shape (1,)\n    * y: False (bool)\n" in text
    nearest = "`x` should be a tensor of dtype float32 and shape (None,), but is a tensor of dtype int32 and shape (1,)"
    assert f" Nearest is option 2: {nearest}.\n" in text
    assert " Expected these arguments to match one of the following 2 option(s):\n\nOption 1:\n" in text


def test_a_message_lists_the_twenty_nearest_graphs() -> None:
    text = no_match_message([30], [option(number) for number in range(25)])
    assert text.count("Option ") == 20 and text.endswith("... and 5 more.")


def test_surplus_arguments_are_a_difference() -> None:
    assert "`the call` should be 1 arguments, but is 2 arguments" in no_match_message([1, 2], [option(1)])
