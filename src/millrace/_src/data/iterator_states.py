"""Saving and restoring iterators in mid-iteration.

The state of an iterator names the stages of its pipeline, so that it is not restored into another pipeline by mistake.
As an op's output the state is a variant; as a tensor for files it is a scalar of string, in the form of `state_bytes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import DataLossError, InvalidArgumentError, NotFoundError
from millrace._src.core.handle_types import HandleType, Referent
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.external_state import check_external_state, policy_of
from millrace._src.data.iterator_ops import iterator_resource_of
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import DatasetNode
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.data.pipeline_optimizer import read_ahead
from millrace._src.data.state_bytes import from_bytes, to_bytes
from millrace._src.ops.shape_rules import no_outputs


class IteratorState(Referent):
    """What the variant that `SerializeIterator` gives refers to: the bytes of a state."""

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text

    @property
    def handle_type(self) -> HandleType:
        """The type of states."""
        return HandleType()

    def __repr__(self) -> str:
        return f"<IteratorStateVariant<{len(self.text)} bytes>>"


def save_iterator(resource: IteratorResource, policy: ExternalStatePolicy) -> bytes:
    """Returns the state of a running iterator as bytes.

    Raises:
      FailedPreconditionError: if the iterator has not begun, or a function depends on state outside of the pipeline and
        the policy refuses that.
    """
    check_external_state(resource.node, policy)
    return to_bytes((_stages(read_ahead(resource.node)), resource.save()))


def restore_iterator(resource: IteratorResource, text: bytes) -> None:
    """Lets an iterator go on from a state that `save_iterator` gave.

    Raises:
      DataLossError: if the bytes are not those of a state, or the state says what no iterator can be in.
      NotFoundError: if the state was saved by another pipeline.
    """
    whole = from_bytes(text)
    if not (isinstance(whole, tuple) and len(whole) == 2):
        raise DataLossError(None, None, "Failed to restore dataset iterator from checkpoint: it holds another state.")
    stages, state = whole
    own = _stages(read_ahead(resource.node))
    if stages != own:
        raise NotFoundError(
            None,
            None,
            "Failed to restore dataset iterator from checkpoint: the state is of a pipeline "
            f"{stages}, this pipeline is {own}. Make sure the dataset definition has not changed between the process "
            "that saved the checkpoint and the process that is restoring it.",
        )
    try:
        resource.restore(state)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError) as error:
        raise DataLossError(
            None, None, f"Failed to restore dataset iterator from checkpoint: no such state can be: {error}"
        ) from error


def _stages(node: DatasetNode) -> str:
    """Returns the names of the stages over which a pass goes, as they are after rewriting."""
    node = node if node.rewritten is None else node.rewritten
    sources = ", ".join(_stages(source) for source in node.inputs)
    return f"{type(node).__name__.removesuffix('Node')}({sources})"


# --- ops ---------------------------------------------------------------------------------------------------------


def _vector(c: ShapeContext) -> TensorShape:
    return TensorShape([None])


_TRAITS: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "not_differentiable": "the state of an iterator is not a number",
    "not_batched": "an iterator has one state",
}


@op("SerializeIterator", "resource_handle: resource -> serialized: variant", shape=_vector, **_TRAITS)
def serialize_iterator(xp: Xp, resource_handle: Array, *, external_state_policy: int = 0) -> Any:
    """Saves the state of an iterator."""
    policy = policy_of(external_state_policy)
    serialized = np.empty([1], object)
    serialized[0] = IteratorState(save_iterator(iterator_resource_of(resource_handle), policy))
    return serialized


@op("DeserializeIterator", "resource_handle: resource, serialized: variant ->", shape=no_outputs, **_TRAITS)
def deserialize_iterator(xp: Xp, resource_handle: Array, serialized: Array) -> None:
    """Lets an iterator go on from a saved state."""
    states = serialized.reshape(-1).tolist()
    if len(states) != 1 or not isinstance(states[0], IteratorState):
        raise InvalidArgumentError(None, None, "DeserializeIterator takes what SerializeIterator gave.")
    restore_iterator(iterator_resource_of(resource_handle), states[0].text)
