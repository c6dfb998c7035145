"""Computes ahead the nodes that read only shapes (`tf.shape`, `tf.rank`, `tf.zeros_like`), where the shapes are known.

Most nodes of a gradient that are not arithmetic read shapes: the sizes to sum over, the zeros and ones to start from.
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.passes.abstract_arrays import known_forms
from millrace._src.passes.constant_folding import compute_on_host
from millrace._src.passes.optimized_graph import Node, Value
from millrace._src.passes.rewrite import Rewriting


def _fold(node: Node) -> Sequence[Value] | None:
    if not node.op_def.traits.reads_only_shapes:
        return None
    forms = [form for form in known_forms(node) if form is not None]
    return compute_on_host(node, forms) if len(forms) == len(node.inputs) else None


REWRITING = Rewriting(lambda _: _fold)
