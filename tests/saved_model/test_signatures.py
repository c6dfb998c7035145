"""Signatures: which functions can be one, and how their tensors are called."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf
from millrace._src.saved_model.signatures import canonical_signatures, default_signature, placeholder_name

SCALAR = tf.TensorSpec([], tf.float32)


def function(body: Callable[..., Any] = lambda x: x, signature: Any = (SCALAR,)) -> Any:
    return tf.function(body, input_signature=signature, autograph=False)


def only(signature: Any) -> Any:
    (made,) = canonical_signatures(signature).values()
    return made.function


@pytest.mark.parametrize("signature", [3, {"a": 3}, lambda x: x, tf.function(lambda x: x)])
def test_what_has_no_known_arguments_is_no_signature(signature: Any) -> None:
    with pytest.raises(ValueError, match="Expected a TensorFlow function for which to generate a signature, but got"):
        canonical_signatures(signature)


def test_a_function_without_parameters_needs_no_input_signature() -> None:
    assert list(only(tf.function(lambda: tf.constant(1.0)))()) == ["output_0"]


def test_no_signatures_are_none() -> None:
    assert canonical_signatures(None) == canonical_signatures({}) == {}


def test_keys_are_texts() -> None:
    with pytest.raises(ValueError, match="keys of `signatures` must be strings; got 3"):
        canonical_signatures({3: function()})


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (lambda x: x, ["output_0"]),
        (lambda x: [x, x], ["output_0", "output_1"]),
        (lambda x: {"b": x, "a": x}, ["a", "b"]),
        (lambda x: collections.namedtuple("pair", "high low")(x, x), ["high", "low"]),
        (lambda x: (), []),
    ],
)
def test_results_have_names(body: Callable[..., Any], names: list[str]) -> None:
    assert sorted(only(function(body)).structured_outputs) == names


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda x: None, "Got a non-Tensor value None for key 'output_0' in the output of the function"),
        (lambda x: [x, [x]], "Got a non-Tensor value .* for key 'output_1'"),
        (lambda x: {"a": {"b": x}}, "Got a non-Tensor value .* for key 'a'"),
        (lambda x: {1: x}, "Got a dictionary with a non-string key 1 in the output of the function"),
    ],
)
def test_results_that_have_no_names_are_refused(body: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        only(function(body))


def test_arguments_are_given_by_name_only_where_there_are_several() -> None:
    one = only(function())
    assert one(tf.constant(1.0))["output_0"].numpy() == 1.0
    two = only(function(lambda x, y: x - y, (SCALAR, SCALAR)))
    assert two(y=tf.constant(1.0), x=tf.constant(3.0))["output_0"].numpy() == 2.0
    with pytest.raises(TypeError, match="takes 0 positional arguments, got 2"):
        two(tf.constant(1.0), tf.constant(1.0))


def test_the_tensors_of_a_structure_are_arguments_of_their_own() -> None:
    made = only(function(lambda x: x["a"] - x["b"], ({"a": SCALAR, "b": SCALAR},)))
    _, specs = made.structured_input_signature
    assert len(specs) == 2


@pytest.mark.parametrize("name", ["a b", "_a", "a:0"])
def test_arguments_whose_names_no_node_can_have_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="Got non-flat/non-unique argument names for SavedModel signature"):
        canonical_signatures(function(signature=(tf.TensorSpec([], tf.float32, name=name),)))


@pytest.mark.parametrize(
    ("text", "name"),
    [("a b_x", "a_b_x"), ("a/b_x", "a_b_x"), ("_a_x", "a_x"), ("é_x", "x"), (".a_x", ".a_x"), ("a\\b_x", "a\\b_x")],
)
def test_names_of_placeholders_are_those_of_tensorflow(text: str, name: str) -> None:
    assert placeholder_name(text) == name


def test_default_values_that_are_tensors_belong_to_the_signature() -> None:
    two = tf.constant(2.0)

    def body(x: Any, y: Any = two, z: Any = 3.0) -> Any:
        return x + y + z

    (made,) = canonical_signatures(function(body, (SCALAR, SCALAR, SCALAR))).values()
    assert {name: value.numpy() for name, value in made.defaults.items()} == {"y": 2.0}


# --- where the caller names none -------------------------------------------------------------------------------------


def test_the_only_function_whose_arguments_are_known_is_the_signature() -> None:
    f, untraced = function(), tf.function(lambda x: x)
    assert default_signature({"f": f, "g": untraced}) is f.get_concrete_function()


def test_of_two_functions_none_is_the_signature() -> None:
    assert default_signature({"f": function(), "g": function()}) is None
    assert default_signature({"f": function(), "g": function().get_concrete_function()}) is None


def test_a_function_that_cannot_be_a_signature_is_none() -> None:
    assert default_signature({"f": function(lambda x: {"a": {"b": x}})}) is None


def test_an_object_may_name_its_signature() -> None:
    f = function()
    assert default_signature({"g": function(), "_default_save_signature": f}) is f
