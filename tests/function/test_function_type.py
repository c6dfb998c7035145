from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest

import millrace as tf
from millrace._src.function.function_type import CAPTURED_DEFAULT_VALUE, FunctionType, Parameter
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_types import Literal, PlaceholderContext

P = inspect.Parameter


def typed(**kinds: Any) -> FunctionType:
    return FunctionType(Parameter(name, P.POSITIONAL_OR_KEYWORD, False, kind) for name, kind in kinds.items())


def test_a_function_type_is_an_inspect_signature() -> None:
    c = tf.function(lambda x: x).get_concrete_function(1)
    assert isinstance(c.function_type, inspect.Signature)
    assert isinstance(c.function_type, tf.types.experimental.FunctionType)
    assert c.function_type.bind(1).arguments == {"x": 1}


def test_parameters_print_their_type() -> None:
    parameter = Parameter("x", P.POSITIONAL_ONLY, True, Literal(1))
    assert repr(parameter) == "Parameter(name=x, kind=POSITIONAL_ONLY, optional=True, type_constraint=Literal[1])"
    assert parameter.default is CAPTURED_DEFAULT_VALUE
    assert parameter.replace(optional=False).optional is False


def test_defaults_are_kept_apart() -> None:
    def f(x: Any, y: Any = 2) -> None: ...

    function_type = FunctionType.from_callable(f)
    assert FunctionType.get_default_values(f) == {"y": 2}
    assert function_type.bind_with_defaults((1,), {}, {"y": 5}).arguments == {"x": 1, "y": 5}


def test_supertypes_accept_narrower_calls() -> None:
    wide, narrow = typed(x=tf.TensorSpec([None])), typed(x=tf.TensorSpec([3]))
    assert wide.is_supertype_of(narrow) and not narrow.is_supertype_of(wide)
    assert narrow.most_specific_common_subtype([typed(x=tf.TensorSpec([4]))]) == wide
    assert narrow.most_specific_common_subtype([typed(x=Literal(1))]) is None
    assert narrow.most_specific_common_subtype([typed(y=tf.TensorSpec([3]))]) is None
    assert not wide.is_supertype_of(typed(x=tf.TensorSpec([3]), y=Literal(1)))


def test_flat_views_list_the_tensors() -> None:
    k = tf.constant(2.0)
    c = tf.function(lambda x, n: {"a": x[0] * k, "b": None}).get_concrete_function([tf.TensorSpec([]), 3], 5)
    function_type = c.function_type
    assert function_type.flat_inputs == [tf.TensorSpec([])]
    assert function_type.flat_captures == [tf.TensorSpec([])]
    assert function_type.flat_outputs == [tf.TensorSpec([])]
    assert function_type.pack_output([7]) == {"a": 7, "b": None}
    assert [t.numpy() for t in function_type.unpack_captures(dict.fromkeys(function_type.captures, k))] == [2.0]


def test_unpacking_inputs_casts_them() -> None:
    function_type = typed(x=tf.TensorSpec([]), y=Literal(2))
    bound = function_type.bind(tf.constant(1.0), 2)
    assert [float(t) for t in function_type.unpack_inputs(bound)] == [1.0]


def test_placeholder_arguments_without_a_graph_are_specs() -> None:
    bound = typed(x=tf.TensorSpec([2]), y=Literal(2)).placeholder_arguments(PlaceholderContext())
    assert bound.arguments == {"x": tf.TensorSpec([2]), "y": 2}


def test_an_output_that_is_not_known_cannot_be_packed() -> None:
    with pytest.raises(ValueError, match=r"Can not pack outputs for undefined output type."):
        typed(x=Literal(1)).pack_output([])


def test_text_of_a_polymorphic_type() -> None:
    def f(x: Any, *a: Any, k: Any = 3) -> None: ...

    assert repr(FunctionType.from_callable(f)) == (
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): None\n  a (VAR_POSITIONAL): None\n  k (KEYWORD_ONLY): None\n"
        "Output Type:\n  None\nCaptures:\n  None"
    )


def test_function_types_can_be_pickled_and_hashed() -> None:
    function_type = typed(x=tf.TensorSpec([None]), y=from_value([1]))
    assert hash(function_type) == hash(typed(x=tf.TensorSpec([None]), y=from_value([1])))
    assert function_type != typed(x=tf.TensorSpec([1]), y=from_value([1]))
    spec_only = typed(x=tf.TensorSpec([None]))
    assert pickle.loads(pickle.dumps(spec_only)) == spec_only
