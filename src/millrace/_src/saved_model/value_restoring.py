"""The values of a SavedModel's variables and tables, read from its folder `variables`.

The checkpoint there names objects by their paths from the root, as the object graph of the SavedModel does. The two are
walked side by side, because a Python object may name its children otherwise: a list replaces a saved tuple.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set
from typing import Any

from millrace._src.checkpoint.checkpoint_loading import saved_objects
from millrace._src.checkpoint.restore_specs import RestoreSpec, restore_spec_of
from millrace._src.checkpoint.shape_mismatches import find_mismatches
from millrace._src.checkpoint.value_reading import ValueReader, Want
from millrace._src.core.errors import DataLossError
from millrace._src.ops.io import gfile
from millrace._src.saved_model.constants import VARIABLES_DIRECTORY, VARIABLES_FILENAME
from millrace._src.saved_model.loaded_objects import GivesTensorsByName
from millrace._src.state.variable import Variable
from millrace._src.trackable.base import Trackable


def restore_values(export_dir: str, object_graph: object, objects: Sequence[Any], is_partial: bool) -> None:
    """Gives objects their saved values.

    Args:
      export_dir: the folder of the SavedModel.
      object_graph: the `SavedObjectGraph` message.
      objects: the object of each node.
      is_partial: whether variables may stay without value.

    Raises:
      NotFoundError: if the files are missing.
      DataLossError: if the files are damaged, or have values for an object that takes none.
      AssertionError: if a variable has no saved value, and `is_partial` is false.
    """
    reader = ValueReader(gfile.join(export_dir, VARIABLES_DIRECTORY, VARIABLES_FILENAME))
    saved = saved_objects(reader)
    pairs = [(objects[node_id], saved.nodes[saved_id]) for saved_id, node_id in _pairs(saved, object_graph).items()]
    for made, node in pairs:
        if node.attributes and not isinstance(made, Trackable):
            what = f"values for a {type(made).__name__}, which takes none"
            raise DataLossError(None, None, f"The checkpoint of the SavedModel at {export_dir} has {what}.")
    restore_specs = [_restore_spec(made, _keys(node)) for made, node in pairs if node.attributes]
    for mismatch in find_mismatches(reader, restore_specs):
        raise mismatch.error("")
    values = reader.read([want for restore_spec in restore_specs for want in restore_spec.wants])
    for restore_spec in restore_specs:
        restore_spec.take([next(values) for _ in restore_spec.wants])
    if not is_partial:
        _require_values(objects, {id(restore_spec.trackable) for restore_spec in restore_specs}, export_dir)


def _restore_spec(made: object, keys: dict[str, str]) -> RestoreSpec:
    """Returns what takes the values of an object; the functions of the file cannot run before variables have values."""
    if not isinstance(made, GivesTensorsByName):
        return restore_spec_of(made, keys)
    wants = [Want(key) for key in keys.values()]
    return RestoreSpec(made, wants, lambda values: made._restore_from_tensors(dict(zip(keys, values, strict=True))))


def _keys(saved_node: Any) -> dict[str, str]:
    """Returns the keys of an object's own tensors by the names of the tensors."""
    return {attribute.name: attribute.checkpoint_key for attribute in saved_node.attributes}


def _pairs(saved: Any, object_graph: Any) -> dict[int, int]:
    """Returns the node of the SavedModel for each node of the checkpoint that is reached by the same names."""
    pairs = {0: 0}
    waiting = deque([0])
    while waiting:
        saved_id = waiting.popleft()
        saved_node, node = saved.nodes[saved_id], object_graph.nodes[pairs[saved_id]]
        children = {child.local_name: child.node_id for child in node.children}
        steps = [(child.node_id, children.get(child.local_name)) for child in saved_node.children]
        steps += _slot_pairs(saved_node, node, pairs)
        for saved_child, child_id in steps:
            if child_id is not None and saved_child not in pairs:
                pairs[saved_child] = child_id
                waiting.append(saved_child)
    return pairs


def _slot_pairs(saved_node: Any, node: Any, pairs: dict[int, int]) -> list[tuple[int, int | None]]:
    """Returns the slot variables of an optimizer: they are named by the variable that they belong to."""
    own = {(slot.original_variable_node_id, slot.slot_name): slot.slot_variable_node_id for slot in node.slot_variables}
    return [
        (slot.slot_variable_node_id, own.get((pairs.get(slot.original_variable_node_id, -1), slot.slot_name)))
        for slot in saved_node.slot_variables
    ]


def _require_values(objects: Sequence[Any], restored: Set[int], export_dir: str) -> None:
    """Raises AssertionError unless every variable is among the restored objects, which are given by their ids."""
    missing = [made.name for made in objects if isinstance(made, Variable) and id(made) not in restored]
    if missing:
        shown = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        raise AssertionError(
            f"The SavedModel at {export_dir} has no saved value for {len(missing)} of its variables: {shown}. Load it "
            "with options=tf.saved_model.LoadOptions(allow_partial_checkpoint=True) to leave them without value."
        )
