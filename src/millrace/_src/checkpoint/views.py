"""`tf.train.TrackableView` and `tf.train.CheckpointView`: the objects of a program, and those of a checkpoint."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from millrace._src.checkpoint.checkpoint_loading import saved_objects
from millrace._src.checkpoint.object_graph import ObjectGraphView
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.ops.io.file_names import file_name
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY, SaveType, Trackable
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.identity_collections import IdentityDict


@export("train.TrackableView", v1=[])
@tensorflow_home("python.checkpoint.trackable_view")
class TrackableView:
    """The objects below a root; the root is not kept alive by the view.

    >>> model = tf.Module()
    >>> model.bias = tf.Variable(1.0)
    >>> view = tf.train.TrackableView(model)
    >>> list(view.children(model)), len(view.descendants())
    (['bias'], 2)

    Args: root: the object that all others are found from.
    Raises: TypeError: if the object cannot be referred to weakly.
    """

    def __init__(self, root: object) -> None:
        self._root_ref = weakref.ref(root)

    @classmethod
    def children(cls, obj: object, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        """Returns the children of an object by their names, containers as objects that track their elements.

        Args:
          obj: the object.
          save_type: "checkpoint" or "savedmodel": whose children are meant.
          **kwargs: further arguments of the object's `_trackable_children`.
        """
        return ObjectGraphView(obj, save_type, **kwargs).children(obj)

    @property
    def root(self) -> Any:
        """The root; None if it is gone."""
        return self._root_ref()

    def descendants(self) -> list[Any]:
        """Returns all objects below the root, and the root, breadth first; a subclass may say what the children are."""
        reached: IdentityDict[Any, None] = IdentityDict([(self.root, None)])
        waiting = deque(reached)
        while waiting:
            for child in self.children(waiting.popleft()).values():
                if child not in reached:
                    reached[child] = None
                    waiting.append(child)
        return list(reached)


@export("train.CheckpointView", v1=[])
@tensorflow_home("python.checkpoint.checkpoint_view")
class CheckpointView:
    """The objects of a checkpoint, by their numbers; 0 is the root.

    >>> import os, tempfile
    >>> model = tf.Module()
    >>> model.bias = tf.Variable(1.0)
    >>> view = tf.train.CheckpointView(tf.train.Checkpoint(model=model).write(os.path.join(tempfile.mkdtemp(), "c")))
    >>> view.children(0), view.children(1), view.descendants()
    ({'model': 1}, {'bias': 2}, [0, 1, 2])

    Args: save_path: what the names of the checkpoint's files begin with.
    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      ValueError: if the checkpoint has no objects, like those of `tf.compat.v1.train.Saver`.
    """

    def __init__(self, save_path: Any) -> None:
        reader = ValueReader(file_name(save_path))
        if OBJECT_GRAPH_PROTO_KEY not in reader:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it '
                f'is missing the key "{OBJECT_GRAPH_PROTO_KEY}". Likely it was created with the TF1 name-based saver '
                "and does not contain an object dependency graph."
            )
        self._object_graph_proto = saved_objects(reader)

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the numbers of the children of a saved object by their names.

        Raises: IndexError: if there is no such object.
        """
        return {child.local_name: child.node_id for child in self._object_graph_proto.nodes[node_id].children}

    def descendants(self) -> list[int]:
        """Returns the numbers of all saved objects that children lead to from the root, breadth first."""
        reached = [0]
        known = {0}
        for node_id in reached:  # the list grows while it is gone through
            new = [child for child in self.children(node_id).values() if child not in known]
            known.update(new)
            reached.extend(dict.fromkeys(new))
        return reached

    def match(self, obj: object) -> dict[int, Any]:
        """Returns the objects of a program by the numbers of the saved objects that the same path leads to.

        Args: obj: the root of the program's objects.
        Raises: ValueError: if `obj` is not trackable.
        """
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        matches: dict[int, Any] = {0: obj}
        waiting = deque([0])
        while waiting:
            node_id = waiting.popleft()
            children = TrackableView.children(matches[node_id])
            for name, child_id in self.children(node_id).items():
                if name in children and child_id not in matches:
                    matches[child_id] = children[name]
                    waiting.append(child_id)
        return matches

    def diff(self, obj: object) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Compares the objects of a checkpoint with those of a program.

        Args: obj: the root of the program's objects.
        Returns: What `match` gives; the numbers of other saved objects; the other objects of the program.
        Raises: ValueError: if `obj` is not trackable.
        """
        matches = self.match(obj)
        matched = {id(trackable) for trackable in matches.values()}
        saved = [node_id for node_id in self.descendants() if node_id not in matches]
        rest = [trackable for trackable in ObjectGraphView(obj).descendants() if id(trackable) not in matched]
        return matches, saved, rest
