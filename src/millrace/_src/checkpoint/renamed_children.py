"""Children whose names in the program differ from the checkpoint's, although another path leads to their values.

Tests: tests/interop/test_keras_optimizers.py, tests/checkpoint/test_nearest_names.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millrace._src.checkpoint.object_graph import ObjectGraphView

if TYPE_CHECKING:  # a restoration explains itself by this module
    from millrace._src.checkpoint.restore import Restoration

_MAX_NAMES = 5


def explain_names(restoration: Restoration) -> str:
    """Returns which children of an object have other names in the checkpoint; "" if there is no such object.

    The object nearest to the root counts: names below it follow from its own.
    """
    for node_id, node in enumerate(restoration.proto.nodes):
        owner = restoration.matching_object(node_id)
        if owner is None:
            continue
        saved = {child.local_name for child in node.children}
        ours = _child_names(restoration, owner)
        if saved - ours and ours - saved:
            described = "the root" if node_id == 0 else repr(type(owner).__name__)
            return (
                f"The checkpoint knows children of {described} by other names: it has {_list_names(saved - ours)}, the "
                f"program has {_list_names(ours - saved)}. Under the same names the values come when you restore."
            )
    return ""


def _child_names(restoration: Restoration, owner: Any) -> set[str]:
    if owner is restoration.root:
        view = ObjectGraphView(restoration.root, attached=restoration.attached)
        return set(view.children(owner)) | set(owner._supplementary_children())
    return set(owner._trackable_children()) | set(owner._supplementary_children())


def _list_names(names: set[str]) -> str:
    shown = ", ".join(map(repr, sorted(names)[:_MAX_NAMES]))
    return f"{shown}, ..." if len(names) > _MAX_NAMES else shown
