"""What became of a checkpoint that was restored: what programs assert, and the report."""

from __future__ import annotations

import abc
from collections import deque
from collections.abc import Sequence
from typing import Any, NoReturn, Self

from millrace._src.checkpoint.name_based import NameBasedRestoration
from millrace._src.checkpoint.object_graph import ObjectGraphView
from millrace._src.checkpoint.report import RestoreReport
from millrace._src.checkpoint.restore import Restoration
from millrace._src.checkpoint.saved_attributes import has_values
from millrace._src.core.context import in_plain_graph
from millrace._src.core.default_session import default_session
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.resources import is_variable
from millrace._src.graph.operation import Operation
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from millrace._src.trackable.base import TrackableReference
from millrace._src.util.class_homes import tensorflow_home

_MAX_SHOWN_OBJECTS = 10
_BUILD_HINT = (
    "\n\n{count} values wait for objects that are not made yet, and are restored when those are made. To restore them "
    "now, build the objects before you restore: a model by `model.build(input_shape)` or a call, an optimizer by "
    "`optimizer.build(model.trainable_variables)`."
)


class LoadStatus(abc.ABC):
    """What `restore` and `read` return. The assertions return the status, so that calls can follow one another."""

    @abc.abstractmethod
    def assert_consumed(self) -> Self:
        """Asserts that all values of the checkpoint were given to objects, and all objects have values.

        Raises: AssertionError: if not; it shows the report.
        """

    @abc.abstractmethod
    def assert_existing_objects_matched(self) -> Self:
        """Asserts that all objects that exist have values of the checkpoint.

        Raises: AssertionError: if not; it shows the report.
        """

    @abc.abstractmethod
    def assert_nontrivial_match(self) -> Self:
        """Asserts that some object other than the root is in the checkpoint.

        Raises: AssertionError: if not; it shows the report.
        """

    @abc.abstractmethod
    def report(self) -> RestoreReport:
        """Returns what was loaded, what is missing, unused or does not fit; as text, a table."""

    def add_to_optionally_restored(self, var: object) -> None:  # noqa: B027  one of the classes has something to do
        """Lets a checkpoint without objects lack the value of a variable."""

    def run_restore_ops(self, session: object = None) -> None:
        """Runs the operations that restore in a graph of TensorFlow 1; elsewhere values are given at once.

        Args: session: the session; None for the default session.
        Raises:
          RuntimeError: in such a graph, if there is no session.
          AssertionError: if no checkpoint was asked for.
        """
        operations = self._session_operations()
        if operations is not None:
            _session(session).run(operations)

    def initialize_or_restore(self, session: object = None) -> None:
        """Initializes what the checkpoint lacks and restores what it has, in a graph of TensorFlow 1.

        Elsewhere variables are initialized when they are made, and values are given at once.

        Args: session: the session; None for the default session.
        Raises: RuntimeError: in such a graph, if there is no session.
        """
        operations = self._session_operations()
        if operations is not None:
            chosen = _session(session)
            chosen.run([op for node in self._without_values() if (op := _initializer(node)) is not None])
            chosen.run(operations)

    def _session_operations(self) -> list[Any] | None:
        """Returns what restores in a graph of TensorFlow 1; None where values are given at once."""
        return None

    def _without_values(self) -> list[Any]:
        """Returns the objects that the checkpoint has no values for."""
        return []

    def expect_partial(self) -> Self:
        """Returns the status; here nothing warns of values that are not used."""
        return self


def _session(session: object) -> Any:
    """Returns a session, or the default session.

    Raises: RuntimeError: if there is none.
    """
    chosen = default_session() if session is None else session
    if chosen is None:
        raise RuntimeError(
            "The operations that restore in a graph of TensorFlow 1 are run by a session: give one, or make one the "
            "default by `with tf.compat.v1.Session():`."
        )
    return chosen


def _initializer(trackable: object) -> Operation | None:
    """Returns the operation that initializes a variable or table in a plain graph; None for other objects."""
    initializer = getattr(trackable, "initializer", None)
    return initializer if isinstance(initializer, Operation) else None


@tensorflow_home("python.checkpoint.checkpoint")
class CheckpointLoadStatus(LoadStatus):
    """The status of a checkpoint of objects."""

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration

    def report(self) -> RestoreReport:
        """Returns what was loaded, what is missing, unused or does not fit; as text, a table."""
        return self._restoration.report()

    def assert_consumed(self) -> Self:
        self.assert_existing_objects_matched()
        restoration = self._restoration
        names = SavedNames(restoration.proto)
        for node_id, node in enumerate(restoration.proto.nodes[: restoration.required_count]):
            if (
                node.attributes
                and restoration.matching_object(node_id) is None
                and not self._is_skipped(names, node_id)
            ):
                self._fail(f"Unresolved object in checkpoint {names[node_id]}: {node}")
        unused = [
            f"{names[node_id]} ({restoration.matching_object(node_id)}): {attributes}"
            for node_id, attributes in restoration.unused_attributes.items()
            if node_id < restoration.required_count
            and len(attributes) == len(restoration.proto.nodes[node_id].attributes)  # as TensorFlow asserts it
        ]
        if unused:
            self._fail(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                + "\n".join(unused)
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        unmatched = self._find_unmatched()
        if unmatched:
            shown = [_short_text(trackable) for trackable in unmatched[:_MAX_SHOWN_OBJECTS]]
            self._fail(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {len(shown)} of {len(unmatched)} unmatched objects: "
                f"[{', '.join(shown)}]"
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        restoration = self._restoration
        if any(restoration.matching_object(node_id) is not None for node_id in range(1, len(restoration.proto.nodes))):
            return self
        unmatched = [trackable for trackable in self._find_unmatched() if trackable is not restoration.root]
        if not unmatched:
            self._fail(f"Nothing to load. No dependencies have been added to {restoration.root} yet.")
        listed = ", ".join(_short_text(trackable) for trackable in unmatched[:_MAX_SHOWN_OBJECTS])
        return self._fail(
            "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
            f"does not match the Python program. The following objects have no matching checkpointed value: [{listed}]"
        )

    def _find_unmatched(self) -> list[Any]:
        """Returns the objects with values of their own that match no saved object."""
        restoration = self._restoration
        matched = restoration.matched_node_ids()
        nodes = ObjectGraphView(restoration.root, attached=restoration.attached).nodes()
        return [node for node in nodes if id(node) not in matched and has_values(node)]

    def _session_operations(self) -> list[Any] | None:
        return self._restoration.session_operations

    def _without_values(self) -> list[Any]:
        restoration = self._restoration
        matched = restoration.matched_node_ids()
        nodes = ObjectGraphView(restoration.root, attached=restoration.attached).nodes()
        return [node for node in nodes if id(node) not in matched]

    def _is_skipped(self, names: SavedNames, node_id: int) -> bool:
        return self._restoration.options.experimental_skip_slot_variables and names.is_slot(node_id)

    def _fail(self, message: str) -> NoReturn:
        report = self.report()
        waiting = [row for row in report.unused if row.is_waiting]
        hint = _BUILD_HINT.format(count=len(waiting)) if waiting else ""
        raise AssertionError(f"{message}{hint}\n\n{report}")


@tensorflow_home("python.checkpoint.checkpoint")
class NameBasedSaverStatus(LoadStatus):
    """The status of a checkpoint without objects, whose values have the names of variables."""

    def __init__(self, restoration: NameBasedRestoration) -> None:
        self._restoration = restoration

    def report(self) -> RestoreReport:
        """Returns what was loaded, what is missing, unused or does not fit; as text, a table."""
        return self._restoration.report()

    def assert_consumed(self) -> Self:
        unmatched = self._restoration.find_unmatched()
        if unmatched:
            listed = "".join(f"\n    {trackable}: {names}" for trackable, names in unmatched)
            raise AssertionError(f"Some objects had attributes which were not restored: {listed}\n\n{self.report()}")
        return self

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed

    def _session_operations(self) -> list[Any] | None:
        return self._restoration.session_operations

    def _without_values(self) -> list[Any]:
        return self._restoration.without_values()

    def add_to_optionally_restored(self, var: object) -> None:
        """Lets the checkpoint lack the value of a variable."""
        self._restoration.optional.append(var)


@tensorflow_home("python.checkpoint.checkpoint")
class InitializationOnlyStatus(LoadStatus):
    """The status where no checkpoint was asked for.

    Args:
      root: the object that all others are found from.
      attached: further children of the root.
    """

    def __init__(self, root: Any, attached: Sequence[TrackableReference]) -> None:
        self._view = ObjectGraphView(root, attached=attached)
        self._is_in_plain_graph = in_plain_graph()

    def _session_operations(self) -> list[Any] | None:
        return [] if self._is_in_plain_graph else None

    def _without_values(self) -> list[Any]:
        return self._view.descendants()

    def report(self) -> RestoreReport:
        """Returns an empty report."""
        return RestoreReport("no checkpoint", [])

    def assert_consumed(self) -> Self:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: object = None) -> NoReturn:
        """Raises an error.

        Raises: AssertionError: always.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )


def _short_text(trackable: Any) -> str:
    """Returns what an object is called in messages; of a variable without its value, which may fill pages."""
    is_shown_by_name: bool = is_variable(trackable)
    if is_shown_by_name:
        dtype = as_dtype(trackable.dtype).name
        return f"<tf.Variable {trackable.name!r} shape={trackable.shape} dtype={dtype}>"
    return repr(trackable)


class SavedNames:
    """What the saved objects are called in messages: "(root).model.bias".

    Args: proto: the saved objects.
    """

    def __init__(self, proto: TrackableObjectGraph) -> None:
        self._names = {0: "(root)"}
        self._slots: dict[int, str] = {}
        waiting = deque([0])
        while waiting:
            node_id = waiting.popleft()
            for child in proto.nodes[node_id].children:
                if child.node_id not in self._names:
                    self._names[child.node_id] = f"{self._names[node_id]}.{child.local_name}"
                    waiting.append(child.node_id)
        for node_id, node in enumerate(proto.nodes):
            for slot in node.slot_variables:
                variable = self[slot.original_variable_node_id]
                self._slots[slot.slot_variable_node_id] = f"{self[node_id]}'s state '{slot.slot_name}' for {variable}"

    def __getitem__(self, node_id: int) -> str:
        name = self._names.get(node_id) or self._slots.get(node_id)
        return name or f"object {node_id}, which nothing leads to"

    def is_slot(self, node_id: int) -> bool:
        """Returns whether an object is a slot variable of an optimizer."""
        return node_id in self._slots and node_id not in self._names
