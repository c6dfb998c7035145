"""Constructors, and what happens to who changes an object."""

from __future__ import annotations

import inspect

import pytest

import millrace as tf

ExtensionType = tf.experimental.ExtensionType


class Masked(ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    name: str = "m"


def masked() -> Masked:
    return Masked([1.0, 2.0], [True, False])


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "missing a required argument: 'values'"),
        ((1,), {}, "missing a required argument: 'mask'"),
        ((1, 2, 3, 4), {}, "too many positional arguments"),
        ((1,), {"mask": 2, "foo": 3}, "got an unexpected keyword argument 'foo'"),
        ((1, 2), {"values": 2}, "multiple values for argument 'values'"),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_the_fields(args: tuple[int, ...], kwargs: dict[str, int], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Masked(*args, **kwargs)


def test_the_constructor_shows_the_fields_as_its_signature() -> None:
    assert list(inspect.signature(Masked).parameters) == ["values", "mask", "name"]
    assert inspect.signature(Masked).parameters["name"].default == "m"


def test_a_field_without_a_default_after_one_with_is_given_by_keyword() -> None:
    class Late(ExtensionType):
        x: int = 1
        y: str

    assert Late(y="b").x == 1
    with pytest.raises(TypeError, match="too many positional arguments"):
        Late(1, "b")


@pytest.mark.parametrize("name", ["values", "new"])
def test_attributes_cannot_be_set_or_deleted(name: str) -> None:
    message = f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
    with pytest.raises(AttributeError, match=message):
        setattr(masked(), name, 3)
    with pytest.raises(AttributeError, match=message):
        delattr(masked(), name)
    with pytest.raises(AttributeError, match=f"`{name}` outside the custom constructor of ExtensionTypeSpec"):
        setattr(masked()._type_spec, name, 3)


def test_a_method_cannot_set_a_field_either() -> None:
    class Counter(ExtensionType):
        n: int

        def increment(self) -> None:
            self.n += 1

    with pytest.raises(AttributeError, match="Cannot mutate attribute `n`"):
        Counter(1).increment()


def test_keras_may_note_a_mask() -> None:
    value = masked()
    value._keras_mask = 3
    assert value._keras_mask == 3 and "_keras_mask" not in repr(value)


def test_a_users_constructor_sets_fields_which_are_converted_and_validated_afterwards() -> None:
    seen = []

    class Square(ExtensionType):
        x: tf.Tensor
        side: int

        def __init__(self, side: int) -> None:
            self.x = 1
            self.x = [side, side]
            self.side = side

        def __validate__(self) -> None:
            seen.append(self.x.numpy().tolist())

    assert Square(3).side == 3 and seen == [[3, 3]]


def test_a_users_constructor_must_set_all_fields_and_nothing_else() -> None:
    class Forgetful(ExtensionType):
        a: tf.Tensor
        b: int = 5

        def __init__(self, a: int) -> None:
            self.a = a

    class Eager(ExtensionType):
        a: tf.Tensor

        def __init__(self, a: int) -> None:
            self.a = a
            self.c = 4

    with pytest.raises(ValueError, match=r"Missing required fields: \{'b'\}"):
        Forgetful(1)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `c` outside the custom constructor"):
        Eager(1)


def test_a_constructor_may_call_that_of_its_base_class() -> None:
    validated = []

    class Base(ExtensionType):
        x: tf.Tensor
        y: int = 1

        def __validate__(self) -> None:
            validated.append(self.y)

    class Derived(Base):
        z: int

        def __init__(self, x: int) -> None:
            super().__init__(x, y=2)
            self.z = 3

    assert (Derived(1).y, Derived(1).z) == (2, 3) and validated == [2, 2]


def test_a_subclass_without_a_constructor_gets_one_for_its_fields() -> None:
    class Base(ExtensionType):
        x: tf.Tensor

        def __init__(self, x: int) -> None:
            self.x = x

    class Derived(Base):
        w: int = 7

    assert list(inspect.signature(Derived).parameters) == ["x", "w"] and Derived(1).w == 7


def test_validation_raises_what_it_likes() -> None:
    class Same(ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

        def __validate__(self) -> None:
            self.a.shape.assert_is_compatible_with(self.b.shape)

    with pytest.raises(ValueError, match="are incompatible"):
        Same([1], [1, 2])


def test_base_classes_are_abstract() -> None:
    for base in (ExtensionType, tf.experimental.BatchableExtensionType):
        with pytest.raises(AssertionError, match=f"Cannot create an instance of {base.__name__} because"):
            base()
