"""`tf.experimental.dispatch_for_api` and its kin, as TensorFlow answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Union

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.overloads import remove_target

api = tf.experimental


class Masked(CompositeTensor):
    """A tensor and which of its elements count."""

    def __init__(self, values: Any, mask: Any = True) -> None:
        self.values, self.mask = tf.convert_to_tensor(values), tf.convert_to_tensor(mask)


class Other(CompositeTensor):
    """Another composite."""


Register = Callable[[Any, Callable[..., Any]], Any]


@pytest.fixture
def register() -> Iterator[Register]:
    """A function that applies a decorator of the interface, and forgets the target after the test."""
    targets = []

    def apply(decorator: Any, target: Callable[..., Any]) -> Any:
        targets.append(target)
        return decorator(target)

    yield apply
    for target in targets:
        remove_target(target)


def test_target_takes_calls_with_annotated_arguments(register: Register) -> None:
    target = register(api.dispatch_for_api(tf.math.add, {"x": Masked, "y": Masked}), lambda x, y, name=None: "masked")
    assert tf.add(Masked(1), Masked(2)) == "masked" == target(1, 2)
    assert tf.add(1, 2).numpy() == 3
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.add(Masked(1), 2)


def test_items_of_a_list_are_of_the_classes_of_a_union(register: Register) -> None:
    decorator = api.dispatch_for_api(tf.stack, {"values": list[Masked | tf.Tensor]})
    register(decorator, lambda values, axis=0, name="stack": len(values))
    assert tf.stack([Masked(1), tf.constant(1)]) == 2
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.stack([Masked(1), 1])


def test_position_names_a_parameter(register: Register) -> None:
    register(api.dispatch_for_api(tf.abs, {0: Masked}), lambda x: "first")
    assert tf.abs(Masked(1)) == "first"


def test_annotations_of_the_target_count(register: Register) -> None:
    def target(x: Masked, name: str | None = None) -> Any:
        return "annotated", name

    register(api.dispatch_for_api(tf.tanh), target)
    assert tf.tanh(Masked(1)) == ("annotated", None)
    assert tf.tanh(x=Masked(1), name="q") == ("annotated", "q")


def test_list_of_composites(register: Register) -> None:
    register(api.dispatch_for_api(tf.concat, {"values": list[Masked]}), lambda values, axis: ("list", axis))
    assert tf.concat([Masked(1), Masked(2)], 1) == ("list", 1)
    assert tf.concat((Masked(1),), axis=2, name="n") == ("list", 2)
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.concat([Masked(1), tf.constant(1)], 0)


def test_tensor_like_takes_what_converts_to_a_tensor(register: Register) -> None:
    like = tf.types.experimental.TensorLike
    register(api.dispatch_for_api(tf.subtract, {"x": Masked, "y": like}), lambda x, y, name=None: type(y).__name__)
    for value in (1, 2.0, "s", [1], (1,), np.zeros(2), np.float32(1), tf.constant(1), tf.Variable(1)):
        assert tf.subtract(Masked(1), value) == type(value).__name__
    for value in (None, Other()):
        with pytest.raises(ValueError, match="Attempt to convert"):
            tf.subtract(Masked(1), value)


def test_target_without_name_runs_in_a_scope(register: Register) -> None:
    register(api.dispatch_for_api(tf.abs, {"x": Masked}), lambda x: tf.math.sign(x.values, name="inner"))

    @tf.function
    def f(x: Any) -> Any:
        result = tf.abs(Masked(x), name="outer")
        names.append(result.op.name)
        return result

    names: list[str] = []
    assert f(tf.constant(-2.0)).numpy() == -1.0
    assert names == ["outer/inner"]


def test_two_fitting_targets_are_an_error(register: Register) -> None:
    register(api.dispatch_for_api(tf.abs, {"x": Masked}), lambda x: 1)
    register(api.dispatch_for_api(tf.abs, {"x": Union[Masked, Other]}), lambda x: 2)  # noqa: UP007  (as users write)
    with pytest.raises(
        ValueError, match=r"Multiple dispatch targets that were registered with tf.dispatch_for .* abs$"
    ):
        tf.abs(Masked(1))
    assert tf.abs(Other()) == 2


@pytest.mark.parametrize(
    ("function", "signature", "target", "error", "message"),
    [
        (len, {"x": Masked}, lambda x: x, ValueError, "<built-in function len> does not support dispatch."),
        (3, {"x": Masked}, lambda x: x, ValueError, "3 does not support dispatch."),
        (tf.abs, {"z": Masked}, lambda x: x, ValueError, "annotation for unknown parameter 'z'."),
        (tf.abs, {7: Masked}, lambda x: x, ValueError, "annotation for unknown parameter 7."),
        (
            tf.abs,
            {"x": Masked},
            lambda y: y,
            ValueError,
            r"signature \(y, name=None\) does not match API's signature \(x",
        ),
        (tf.abs, {"x": Masked}, lambda x, k, name=None: x, ValueError, "does not match API's signature"),
        (tf.abs, {"x": tuple[Masked, Masked]}, lambda x: x, ValueError, "is not currently supported by dispatch."),
        (tf.abs, {"x": "Masked"}, lambda x: x, ValueError, "Type annotation Masked is not currently supported"),
        (tf.abs, [Masked], lambda x: x, TypeError, "signatures must be dictionaries mapping parameter names"),
        (tf.abs, None, lambda x: x, ValueError, "must be called with at least one signature"),
    ],
)
def test_wrong_registration_is_refused(
    function: Any, signature: Any, target: Any, error: type[Exception], message: str, register: Register
) -> None:
    with pytest.raises(error, match=message):
        register(api.dispatch_for_api(function, *([] if signature is None else [signature])), target)


def test_unary_handler_serves_all_unary_functions(register: Register) -> None:
    register(api.dispatch_for_unary_elementwise_apis(Masked), lambda f, x: Masked(f(x.values), x.mask))
    assert tf.abs(Masked([-1, 2])).values.numpy().tolist() == [1, 2]
    assert tf.cast(Masked([1]), tf.float16).values.dtype == tf.float16
    assert tf.ones_like(Masked([1]), dtype=tf.float64).values.dtype == tf.float64
    assert tf.clip_by_value(Masked([1, 9]), 2, 3).values.numpy().tolist() == [2, 3]
    assert tf.nn.relu(Masked([-1.0])).values.numpy().tolist() == [0.0]
    with pytest.raises(ValueError, match=r"A unary elementwise dispatch handler .* has already been registered for"):
        api.dispatch_for_unary_elementwise_apis(Masked)(lambda f, x: None)


def test_binary_handler_serves_functions_and_operators_of_tensors(register: Register) -> None:
    register(
        api.dispatch_for_binary_elementwise_apis(tf.types.experimental.TensorLike, Masked),
        lambda f, x, y: Masked(f(x, y.values), y.mask),
    )
    assert tf.multiply(3, Masked([2])).values.numpy().tolist() == [6]
    assert (tf.constant([3]) * Masked([2])).values.numpy().tolist() == [6]
    assert (tf.constant([3]) < Masked([2])).values.numpy().tolist() == [False]
    assert (tf.constant([3]) / Masked([2])).values.numpy().tolist() == [1.5]
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.multiply(Masked([2]), 3)


def test_overload_of_the_operators_own_function_takes_the_operator(register: Register) -> None:
    register(api.dispatch_for_api(tf.__operators__.add, {"y": Masked}), lambda x, y: "operator")
    assert tf.constant(1) + Masked(1) == "operator"
    assert tf.__operators__.add(1, Masked(1)) == "operator"


def test_bitwise_operator_of_integers(register: Register) -> None:
    register(api.dispatch_for_binary_elementwise_apis(tf.Tensor, Masked), lambda f, x, y: f(x, y.values))
    assert (tf.constant([3, 4]) & Masked([1, 2])).numpy().tolist() == [1, 0]
    assert (tf.constant([True]) | Masked([False])).numpy().tolist() == [True]


def test_target_that_returns_not_implemented_is_passed_over(register: Register) -> None:
    register(api.dispatch_for_api(tf.abs, {"x": Masked}), lambda x: NotImplemented)
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.abs(Masked(1))


def test_assert_handler_carries_the_message(register: Register) -> None:
    register(
        api.dispatch_for_binary_elementwise_assert_apis(Masked, Masked),
        lambda f, x, y: f(x.values, y.values),
    )
    tf.debugging.assert_less(Masked([1]), Masked([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="hello"):
        tf.debugging.assert_less(Masked([3]), Masked([2]), message="hello")


def test_unregistered_target_is_forgotten() -> None:
    target = api.dispatch_for_api(tf.abs, {"x": Masked})(lambda x: 1)
    api.unregister_dispatch_for(target)
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.abs(Masked(1))
    with pytest.raises(ValueError, match=r"was not registered using a `@dispatch_for_\*` decorator\."):
        api.unregister_dispatch_for(target)


@pytest.mark.parametrize("function", [tf.einsum, tf.group, tf.meshgrid, tf.print])
def test_a_function_of_any_number_of_arguments_has_no_targets(function: Any) -> None:
    with pytest.raises(ValueError, match="does not support dispatch"):
        tf.experimental.dispatch_for_api(function)
