from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.function.function_type import FunctionType, describe
from millrace._src.graph.structured_values import NotEncodableError, decode_structure
from millrace._src.proto import saved_object_graph_pb2
from millrace._src.saved_model.function_spec import (
    FunctionSpec,
    concrete_function_spec_of,
    concrete_function_type,
    decode_function_spec,
    encode_concrete_function,
    encode_function_spec,
    function_spec_of,
    output_specs,
)

SCALAR = tf.TensorSpec([], tf.float32)


NOTHING = object()


class Pair(NamedTuple):
    p: Any
    q: Any


def rich(x: Any, training: Any = False, *, k: Any = "a", j: Any, **more: Any) -> Any:
    return {"o": x, "p": [x, (x,)]}


def nameless(specs: Any) -> Any:
    return [(spec.shape, spec.dtype) for spec in specs]


def spec_of(function: Any, **options: Any) -> Any:
    return decode_function_spec(function_spec_of(tf.function(function, **options)))


def test_a_function_keeps_names_kinds_and_defaults() -> None:
    spec = spec_of(rich)
    assert spec == FunctionSpec(("x", "training"), None, "more", ("k", "j"), {"training": False, "k": "a"})
    assert str(spec.signature().function_type) == str(FunctionType.from_callable(rich))


def test_a_function_of_any_arguments_keeps_the_name_of_the_rest() -> None:
    spec = spec_of(lambda *args, **more: args[0])
    assert (spec.names, spec.var_positional, spec.var_keyword) == ((), "args", "more")


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_jit_compile_is_kept(jit_compile: Any) -> None:
    assert spec_of(lambda x: x, jit_compile=jit_compile).jit_compile is jit_compile


def test_an_input_signature_constrains_the_calls_of_the_spec() -> None:
    spec = spec_of(lambda a, b=3: a, input_signature=[tf.TensorSpec([None], tf.float32, "inp"), SCALAR])
    assert spec.input_signature == (tf.TensorSpec([None], tf.float32, "inp"), SCALAR)
    assert spec.signature().is_constrained
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed due to `Can not cast"):
        spec.signature().cast([tf.constant(1), 2.0], (), {})


def test_surplus_arguments_of_an_input_signature_become_parameters() -> None:
    assert spec_of(lambda *a: a[0], input_signature=[SCALAR, SCALAR]).names == ("a_0", "a_1")


def test_the_message_of_a_function_is_that_of_tensorflow() -> None:
    text = """
    fullargspec { named_tuple_value { name: "FullArgSpec"
      values { key: "args" value { list_value { values { string_value: "x" } values { string_value: "training" } } } }
      values { key: "varargs" value { none_value {} } }
      values { key: "varkw" value { string_value: "more" } }
      values { key: "defaults" value { tuple_value { values { bool_value: false } } } }
      values { key: "kwonlyargs" value { list_value { values { string_value: "k" } values { string_value: "j" } } } }
      values { key: "kwonlydefaults" value { dict_value { fields { key: "k" value { string_value: "a" } } } } }
      values { key: "annotations" value { dict_value {} } } } }
    input_signature { none_value {} }
    """
    assert function_spec_of(tf.function(rich)) == text_format.Parse(text, saved_object_graph_pb2.FunctionSpec())


def test_a_default_value_that_only_python_knows_cannot_be_written() -> None:
    with pytest.raises(NotEncodableError, match="No encoder for object"):
        function_spec_of(tf.function(lambda x, y=NOTHING: x))


def test_the_message_of_a_graph_names_tensors_after_their_positions() -> None:
    concrete = tf.function(rich).get_concrete_function(SCALAR, True, j=SCALAR, z=3)
    message = encode_concrete_function(concrete, [4, 2])
    assert list(message.bound_inputs) == [4, 2]
    assert decode_structure(message.canonicalized_input_signature) == (
        (tf.TensorSpec([], tf.float32, "x"), True),
        {"k": "a", "j": tf.TensorSpec([], tf.float32, "j"), "z": 3},
    )
    names = {"o": "o", "p": ["p_0", ("p_1_0",)]}
    expected = tf.nest.map_structure(lambda name: tf.TensorSpec([], tf.float32, name), names)
    assert decode_structure(message.output_signature) == expected
    assert [s.name for s in tf.nest.flatten(decode_structure(message.output_signature))] == tf.nest.flatten(names)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("1a", "tensor_1a"),
        ("_b", "tensor__b"),
        ("c d", "c_d"),
        ("é", "é"),
        ("A/b", "a_b"),
        ("", "unknown"),
        (0, "tensor_0"),
    ],
)
def test_a_result_is_named_as_in_tensorflow(key: Any, name: str) -> None:
    concrete = tf.function(lambda x: [x] if key == 0 else {key: x}).get_concrete_function(SCALAR)
    assert [spec.name for spec in tf.nest.flatten(output_specs(concrete.function_type.output))] == [name]


def test_a_single_result_is_called_unknown_and_none_stays_none() -> None:
    assert output_specs(tf.function(lambda x: x).get_concrete_function(SCALAR).function_type.output).name == "unknown"
    assert output_specs(tf.function(lambda x: None).get_concrete_function(SCALAR).function_type.output) is None


def test_a_trace_states_its_own_parameters() -> None:
    concrete = tf.function(rich).get_concrete_function(SCALAR, j=SCALAR, z=3)
    spec = decode_function_spec(concrete_function_spec_of(concrete))
    assert spec == FunctionSpec(("x", "training"), keyword_only=("k", "j", "z"))


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (rich, (SCALAR,), {"j": SCALAR, "b": 1, "a": SCALAR}),
        (lambda *args: args[0], (SCALAR, 2), {}),
        (lambda pair: pair, (Pair(SCALAR, [SCALAR]),), {}),
        (lambda r: r, (tf.RaggedTensorSpec([None, None], tf.float32),), {}),
        (lambda x: None, (SCALAR,), {}),
    ],
)
def test_the_type_of_a_graph_is_read_as_it_was_written(function: Any, args: Any, kwargs: Any) -> None:
    traced = tf.function(function)
    concrete = traced.get_concrete_function(*args, **kwargs)
    message = encode_concrete_function(concrete, [])
    read = concrete_function_type(
        decode_function_spec(function_spec_of(traced)),
        decode_structure(message.canonicalized_input_signature),
        decode_structure(message.output_signature),
    )
    written = [(p.name, p.kind) for p in concrete.function_type.parameters.values()]
    assert [(p.name, p.kind) for p in read.parameters.values()] == written
    assert nameless(read.flat_inputs) == nameless(concrete.function_type.flat_inputs)
    assert nameless(read.flat_outputs) == nameless(concrete.function_type.flat_outputs)
    assert describe(read).splitlines()[0] == "Input Parameters:"


def test_the_first_parameter_of_an_old_method_is_dropped() -> None:
    message = encode_function_spec(FunctionSpec(("self", "x"), defaults={"x": 2}))
    message.is_method = True
    assert decode_function_spec(message) == FunctionSpec(("x",), defaults={"x": 2})


def test_a_message_without_parameters_is_refused() -> None:
    message = saved_object_graph_pb2.FunctionSpec()
    with pytest.raises(ValueError, match="states no parameters of a function"):
        decode_function_spec(message)


@pytest.mark.parametrize("arguments", [None, (), (1, {}), ((), 1), [(), {}]])
def test_arguments_that_are_no_call_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match="states no arguments of a function"):
        concrete_function_type(FunctionSpec(), arguments, None)


def test_more_arguments_than_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="states 2 arguments for the parameters x"):
        concrete_function_type(FunctionSpec(("x",)), ((1, 2), {}), None)
