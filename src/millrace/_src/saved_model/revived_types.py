"""Which Python objects represent the objects of a SavedModel: a registry of identifiers with versions.

Problem: a SavedModel names the kind of an object ("trackable_list_wrapper") and no Python class. A library's own kinds
need objects of the library's classes, also in files of its older and newer releases.

Idea: a kind is registered with a predicate, which finds the kind of an object that is saved, and with versions, each of
which makes an object for a file whose versions agree. What no one has registered is a plain object with attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.proto import saved_object_graph_pb2, versions_pb2
from millrace._src.saved_model.signature_map import _SignatureMap
from millrace._src.trackable.dict_wrapper import DictWrapper
from millrace._src.trackable.list_wrapper import ListWrapper
from millrace._src.trackable.tuple_wrapper import TupleWrapper
from millrace._src.util.export import export

Setter = Callable[[Any, str, Any], None]
"""`(object, name, child) -> None`: gives a revived object one of its children."""


@export("__internal__.saved_model.load.VersionedTypeRegistration", v1=[])
class VersionedTypeRegistration:
    """One version of a kind of objects.

    Args:
      object_factory: from the `SavedUserObject` message to an object without children.
      version: the version that this release writes.
      min_producer_version: the oldest version of files that this release reads.
      min_consumer_version: the oldest version that can read files of this release.
      bad_consumers: versions that must not read files of this release.
      setter: `(object, name, child) -> None`, which gives an object its children; default `setattr`.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Sequence[int] | None = None,
        setter: Setter = setattr,
    ) -> None:
        self.object_factory = object_factory
        self.version = version
        self.min_producer_version = min_producer_version
        self.min_consumer_version = min_consumer_version
        self.bad_consumers = tuple(bad_consumers or ())
        self.setter = setter
        self.identifier: str | None = None
        """The kind, once registered."""

    def to_proto(self) -> saved_object_graph_pb2.SavedUserObject:
        """Returns the message that stands in a SavedModel for an object of the kind."""
        versions = versions_pb2.VersionDef(
            producer=self.version, min_consumer=self.min_consumer_version, bad_consumers=self.bad_consumers
        )
        return saved_object_graph_pb2.SavedUserObject(identifier=self.identifier, version=versions)

    def from_proto(self, proto: object) -> Any:
        """Makes an object without children from its message."""
        return self.object_factory(proto)

    def should_load(self, proto: Any) -> bool:
        """Returns whether this version reads an object of the message's versions."""
        versions = proto.version
        return bool(
            proto.identifier == self.identifier
            and versions.producer >= self.min_producer_version
            and self.version >= versions.min_consumer
            and self.version not in versions.bad_consumers
        )


class _RevivedKind:
    """A registered kind: how to tell its objects, and its versions, the newest first."""

    def __init__(self, predicate: Callable[[Any], bool], versions: Sequence[VersionedTypeRegistration]) -> None:
        self.predicate = predicate
        self.versions = sorted(versions, key=lambda registration: -registration.version)


_kinds: dict[str, _RevivedKind] = {}


@export("__internal__.saved_model.load.register_revived_type", v1=[])
def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: Sequence[VersionedTypeRegistration]
) -> None:
    """Registers a kind of objects, so that SavedModels with such objects make them anew.

    >>> class Pair(tf.__internal__.tracking.AutoTrackable):
    ...     pass
    >>> load = tf.__internal__.saved_model.load
    >>> version = load.VersionedTypeRegistration(
    ...     lambda proto: Pair(), version=1, min_producer_version=1, min_consumer_version=1)
    >>> load.register_revived_type("docs_pair", lambda obj, cls=Pair: isinstance(obj, cls), versions=[version])

    Args:
      identifier: the name of the kind in files.
      predicate: returns whether an object that is saved is of the kind.
      versions: the versions that can be read; the newest one is written.

    Raises:
      ValueError: if there are no versions or two of the same number.
      AssertionError: if the identifier, or one of the versions, is registered already.
    """
    numbers = [registration.version for registration in versions]
    if not numbers:
        raise ValueError(f"Need at least one version of the revived type {identifier!r}.")
    if len(set(numbers)) < len(numbers):
        raise AssertionError(f"Got multiple registrations with the same version for type {identifier!r}.")
    if identifier in _kinds:
        raise AssertionError(f"Duplicate registrations for type {identifier!r}.")
    for registration in versions:
        if registration.identifier is not None:
            raise AssertionError(f"A version of type {registration.identifier!r} cannot be registered twice.")
        registration.identifier = identifier
    _kinds[identifier] = _RevivedKind(predicate, versions)


def registered_identifiers() -> tuple[str, ...]:
    """Returns the identifiers of all registered kinds."""
    return tuple(_kinds)


def serialize(trackable: object) -> saved_object_graph_pb2.SavedUserObject | None:
    """Returns the message of an object of a registered kind; None for any other object."""
    for kind in _kinds.values():
        if kind.predicate(trackable):
            return kind.versions[0].to_proto()
    return None


def user_object(trackable: Any) -> saved_object_graph_pb2.SavedUserObject:
    """Returns the message that stands in a SavedModel for an object that only Python knows."""
    message = serialize(trackable)
    if message is not None:
        return message
    versions = versions_pb2.VersionDef(producer=1, min_consumer=1)
    return saved_object_graph_pb2.SavedUserObject(identifier=trackable._object_identifier, version=versions)


def deserialize(proto: Any) -> tuple[Any, Setter] | None:
    """Returns an object for a message, and what gives the object its children; None if no registered version fits."""
    kind = _kinds.get(proto.identifier)
    for registration in () if kind is None else kind.versions:
        if registration.should_load(proto):
            return registration.from_proto(proto), registration.setter
    return None


# --- the kinds of this package ---------------------------------------------------------------------------------------


def _register(identifier: str, cls: type, make: Callable[[], Any], setter: Setter) -> None:
    registration = VersionedTypeRegistration(lambda proto: make(), 1, 1, 1, setter=setter)
    register_revived_type(identifier, lambda trackable: isinstance(trackable, cls), [registration])


def _append(container: Any, name: str, child: Any) -> None:
    if name.isdecimal():  # a named tuple has its elements by the names of the fields, too
        container.append(child)


def _set_item(container: Any, name: str, child: Any) -> None:
    container[name] = child


_register("trackable_dict_wrapper", DictWrapper, lambda: DictWrapper({}), _set_item)
_register("trackable_list_wrapper", ListWrapper, lambda: ListWrapper([]), _append)
# A file says nothing of the elements of a tuple that are not trackable objects, so a list replaces it.
_register("trackable_tuple_wrapper", TupleWrapper, lambda: ListWrapper([]), _append)
_register("signature_map", _SignatureMap, _SignatureMap, _SignatureMap._add_signature)
