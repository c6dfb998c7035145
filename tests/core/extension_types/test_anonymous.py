"""Extension types whose class is not known."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.extension_types.anonymous import (
    AnonymousExtensionType,
    AnonymousExtensionTypeSpec,
    reinterpret,
)
from tests.core.extension_types.test_extension_type import Pair
from tests.core.extension_types.test_immutable_fields import Masked, masked


def anonymous() -> Any:
    return AnonymousExtensionType(x=tf.constant(1), y=(1, 2), z={"a": tf.constant(2)}, s="q")


def test_it_takes_any_fields() -> None:
    value = anonymous()
    assert value.y == (1, 2) and value.z["a"].numpy() == 2
    assert repr(value).endswith("y=(1, 2), z=ImmutableDict({'a': <tf.Tensor: shape=(), dtype=int32, numpy=2>}), s='q')")
    assert isinstance(value._type_spec, AnonymousExtensionTypeSpec) and value._type_spec.x == tf.TensorSpec(
        [], tf.int32
    )
    assert (value == anonymous()).numpy() and repr(AnonymousExtensionTypeSpec(y=3)) == "AnonymousExtensionTypeSpec(y=3)"


def test_it_is_a_composite() -> None:
    value = anonymous()
    assert [t.numpy() for t in tf.nest.flatten(value, expand_composites=True)] == [1, 2]
    assert (tf.function(lambda x: x)(value) == value).numpy()


def test_it_is_immutable_and_takes_no_objects() -> None:
    with pytest.raises(
        AttributeError, match=r"Cannot set attribute `x`. AnonymousExtensionType instances are immutable"
    ):
        anonymous().x = 3
    with pytest.raises(
        AttributeError, match=r"Cannot delete attribute `x`. AnonymousExtensionType instances are immutable"
    ):
        del anonymous().x
    with pytest.raises(TypeError, match="unhashable"):
        hash(anonymous())
    for field in (object(), [1, 2]):
        with pytest.raises(ValueError, match="Cannot convert anonymous fields from an unsupported `value` argument"):
            AnonymousExtensionType(x=field)
    with pytest.raises(ValueError, match="Reserved field name 'value_type' was encountered"):
        AnonymousExtensionType(value_type=1)


def test_values_are_reinterpreted_where_the_fields_agree() -> None:
    there = reinterpret(masked(), AnonymousExtensionType)
    assert type(there) is AnonymousExtensionType and there.name == "m"
    assert (reinterpret(there, Masked) == masked()).numpy()
    with pytest.raises(ValueError, match="Got unexpected fields"):
        reinterpret(there, Pair)
    with pytest.raises(ValueError, match=r"reinterpret expects `new_type` to be a subclass of tf.ExtensionType; got 3"):
        reinterpret(masked(), 3)
    with pytest.raises(ValueError, match=r"reinterpret expects `value` to be a tf.ExtensionType instance; got 3"):
        reinterpret(3, Masked)
