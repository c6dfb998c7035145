"""Optionals: elements that may be missing, in Python and through functions, branches and loops."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset
Optional = tf.experimental.Optional
INT = tf.TensorSpec([], tf.int32)


def test_an_optional_gives_back_its_value_in_the_same_structure() -> None:
    optional = Optional.from_value({"a": 1, "b": ("x", None)})
    assert optional.element_spec == {"a": INT, "b": (tf.TensorSpec([], tf.string), tf.NoneTensorSpec())}
    value = optional.get_value()
    assert value["a"].numpy() == 1
    assert value["b"][0].numpy() == b"x"
    assert value["b"][1] is None


def test_an_empty_optional_has_no_value() -> None:
    optional = Optional.empty(INT)
    assert not optional.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"does not have a value\. \[Op:OptionalGetValue\] name: "):
        optional.get_value()


def test_the_spec_of_an_optional_may_be_found_out_later() -> None:
    optional = Optional.empty(None)
    assert optional.element_spec is None
    assert not optional.has_value()
    found = Optional.from_value({"a": 1})
    optional._element_spec = found.element_spec
    assert optional.element_spec == {"a": tf.TensorSpec([], tf.int32)}


def test_a_loop_whose_body_finds_out_the_spec_of_an_optional() -> None:
    def f() -> Any:
        last = Optional.empty(None)

        def body(i: Any, optional: Any) -> Any:
            new = Optional.from_value(i * 10)
            last._element_spec = new.element_spec
            return i + 1, new

        return tf.while_loop(lambda i, optional: i < 3, body, [tf.constant(0), last])[1].get_value()

    assert int(tf.function(f, autograph=False)()) == 20


def test_the_class_is_abstract_and_has_two_public_names() -> None:
    assert tf.data.experimental.Optional is Optional
    with pytest.raises(TypeError, match="abstract"):
        Optional()


def test_specs_of_optionals_print_and_compare() -> None:
    spec = tf.OptionalSpec.from_value(Optional.from_value(1))
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)"
    assert spec == tf.OptionalSpec(INT) != tf.OptionalSpec(tf.TensorSpec([2], tf.int32))
    assert spec.is_compatible_with(Optional.from_value(5))
    assert tf.compat.v1.data.experimental.OptionalStructure is tf.OptionalSpec


def test_an_iterator_gives_optionals_to_the_end_and_beyond() -> None:
    iterator = iter(Dataset.range(2))
    first = [tf.data.experimental.get_next_as_optional(iterator).get_value().numpy() for _ in range(2)]
    assert first == [0, 1]
    assert not iterator.get_next_as_optional().has_value()
    assert not iterator.get_next_as_optional().has_value()


def test_a_function_takes_and_returns_optionals_with_one_trace() -> None:
    @tf.function
    def successor(optional: Any) -> Any:
        return Optional.from_value(optional.get_value() + 1)

    assert successor(Optional.from_value(1)).get_value().numpy() == 2
    assert successor(Optional.from_value(7)).get_value().numpy() == 8
    assert successor.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("chosen", [True, False])
def test_branches_return_optionals(chosen: bool) -> None:
    @tf.function
    def choose(condition: Any) -> Any:
        return tf.cond(condition, lambda: Optional.from_value(1), lambda: Optional.empty(INT))

    assert bool(choose(tf.constant(chosen)).has_value()) is chosen


def test_a_loop_of_the_graph_asks_for_optionals() -> None:
    @tf.function
    def total(iterator: Any) -> Any:
        result = tf.constant(0, tf.int64)
        optional = iterator.get_next_as_optional()
        while optional.has_value():
            result += optional.get_value()
            optional = iterator.get_next_as_optional()
        return result

    assert total(iter(Dataset.range(5))).numpy() == 10
    assert total(iter(Dataset.range(0))).numpy() == 0


def test_gradients_flow_through_optionals() -> None:
    x = tf.constant(3.0)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            optional = Optional.from_value((x * 2.0, x))
            y = optional.get_value()[0] * x + optional.get_value()[1]
        return tape.gradient(y, x)

    assert gradient(x).numpy() == tf.function(gradient)(x).numpy() == 13.0


def test_optionals_are_elements_of_datasets() -> None:
    dataset = Dataset.range(3).map(Optional.from_value)
    assert [optional.get_value().numpy() for optional in dataset] == [0, 1, 2]
    assert dataset.element_spec == tf.OptionalSpec(tf.TensorSpec([], tf.int64))


@pytest.mark.parametrize(
    ("types", "shapes", "message"),
    [
        ([tf.int32], [[]], "expected type for component 0. Expected: int32. Actual: float."),
        ([tf.float32], [[]], r"expected shape for component 0. Expected: \[\]. Actual: \[1\]."),
        ([tf.float32] * 2, [[], []], "The given optional has 1 components, expected 2"),
    ],
)
def test_a_value_of_another_type_than_declared_is_an_error(types: Any, shapes: Any, message: str) -> None:
    handle = Optional.from_value([1.0])._variant_tensor
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.OptionalGetValue(optional=handle, output_types=types, output_shapes=shapes)


def test_a_dataset_is_no_optional() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be an OptionalVariant object"):
        tf.raw_ops.OptionalHasValue(optional=Dataset.range(3)._variant_tensor)


def test_an_optional_of_nothing_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be at least minimum 1"):
        Optional.from_value(())


def test_adding_a_present_and_a_missing_optional_is_an_error() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="one has a value and the other doesn't"):
        tf.raw_ops.AddN(inputs=[Optional.from_value(1.0)._variant_tensor, Optional.empty(INT)._variant_tensor])


def test_a_variant_tensor_says_what_it_holds() -> None:
    assert "OptionalVariant<None>" in repr(Optional.empty(INT)._variant_tensor)
    assert "type: int32 shape: [2]" in repr(Optional.from_value([1, 2])._variant_tensor)
