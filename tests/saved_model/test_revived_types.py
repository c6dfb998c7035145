from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_object_graph_pb2
from millrace._src.saved_model import revived_types
from millrace._src.saved_model.revived_types import (
    VersionedTypeRegistration,
    deserialize,
    register_revived_type,
    registered_identifiers,
    serialize,
    user_object,
)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revived_types, "_kinds", dict(revived_types._kinds))


class Thing(tf.__internal__.tracking.AutoTrackable):
    def __init__(self, version: int = 0) -> None:
        self.version = version


def thing(version: int, **options: Any) -> VersionedTypeRegistration:
    return VersionedTypeRegistration(lambda proto: Thing(version), version, **{**LIMITS, **options})


LIMITS: dict[str, Any] = {"min_producer_version": 1, "min_consumer_version": 1}


def message(identifier: str, producer: int = 1, min_consumer: int = 1, bad_consumers: Any = ()) -> Any:
    proto = saved_object_graph_pb2.SavedUserObject(identifier=identifier)
    proto.version.producer, proto.version.min_consumer = producer, min_consumer
    proto.version.bad_consumers.extend(bad_consumers)
    return proto


def is_thing(value: Any) -> bool:
    return isinstance(value, Thing)


def test_containers_and_signatures_are_registered() -> None:
    assert registered_identifiers()[:4] == (
        "trackable_dict_wrapper",
        "trackable_list_wrapper",
        "trackable_tuple_wrapper",
        "signature_map",
    )


@pytest.mark.parametrize(
    ("value", "identifier"),
    [
        ({"a": 1}, "trackable_dict_wrapper"),
        ([1], "trackable_list_wrapper"),
        ((tf.Module(),), "trackable_tuple_wrapper"),
    ],
)
def test_a_container_is_written_by_its_kind(value: Any, identifier: str) -> None:
    module = tf.Module()
    module.value = value
    assert user_object(module.value) == message(identifier)


def test_any_other_object_is_a_generic_user_object() -> None:
    assert serialize(tf.Module()) is None
    assert user_object(tf.Module()) == message("_generic_user_object")


def test_an_object_may_name_its_own_kind() -> None:
    class Named(tf.Module):
        @property
        def _object_identifier(self) -> str:
            return "_a_layer"

    assert user_object(Named()).identifier == "_a_layer"


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("trackable_list_wrapper", ["x", "y"]),
        ("trackable_tuple_wrapper", ["x", "y"]),
        ("trackable_dict_wrapper", {"0": "x", "1": "y"}),
    ],
)
def test_a_container_is_made_and_filled(identifier: str, expected: Any) -> None:
    revived = deserialize(message(identifier))
    assert revived is not None
    container, setter = revived
    for name, child in (("0", "x"), ("1", "y")):
        setter(container, name, child)
    assert container == expected


def test_signatures_are_made_and_filled() -> None:
    revived = deserialize(message("signature_map"))
    assert revived is not None
    signatures, setter = revived
    setter(signatures, "serving_default", len)
    assert signatures["serving_default"] is len


def test_the_newest_version_is_written_and_the_newest_that_fits_is_read() -> None:
    versions = [thing(1), thing(3, min_producer_version=2), thing(2)]
    register_revived_type("thing", is_thing, versions)
    assert serialize(Thing()) == message("thing", 3)
    found = [deserialize(proto) for proto in (message("thing", 1), message("thing", 2), message("thing", 5, 3))]
    assert [revived and revived[0].version for revived in found] == [2, 3, 3]


def test_versions_that_exclude_each_other_are_not_read() -> None:
    register_revived_type("thing", is_thing, [thing(2, min_producer_version=2)])
    assert deserialize(message("thing", 1)) is None
    assert deserialize(message("thing", 3, min_consumer=3)) is None
    assert deserialize(message("thing", 2, bad_consumers=[2])) is None
    assert deserialize(message("nothing")) is None


def test_a_message_carries_all_versions() -> None:
    register_revived_type("thing", is_thing, [thing(4, min_consumer_version=2, bad_consumers=[3])])
    assert serialize(Thing()) == message("thing", 4, 2, [3])


def test_children_are_attributes_by_default() -> None:
    register_revived_type("thing", is_thing, [thing(1)])
    revived = deserialize(message("thing"))
    assert revived is not None
    revived[1](revived[0], "child", "x")
    assert revived[0].child == "x"


def test_wrong_registrations_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one version"):
        register_revived_type("thing", is_thing, [])
    with pytest.raises(AssertionError, match="same version"):
        register_revived_type("thing", is_thing, [thing(1), thing(1)])
    registration = thing(1)
    register_revived_type("thing", is_thing, [registration])
    with pytest.raises(AssertionError, match="Duplicate registrations for type 'thing'"):
        register_revived_type("thing", is_thing, [thing(1)])
    with pytest.raises(AssertionError, match="cannot be registered twice"):
        register_revived_type("other", is_thing, [registration])
