"""Finds out what became of each value: the rows of a report.

Tests: tests/checkpoint/test_report.py
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from millrace._src.checkpoint.nearest_names import nearest_names
from millrace._src.checkpoint.object_graph import ATTRIBUTES, ObjectGraphView, checkpoint_key, escape, full_name_of
from millrace._src.checkpoint.report import (
    LOADED,
    MISSING,
    UNUSED,
    WRONG_DTYPE,
    WRONG_SHAPE,
    ReportedValue,
    ReportRow,
    RestoreReport,
)
from millrace._src.checkpoint.saved_attributes import attributes_of
from millrace._src.checkpoint.shape_mismatches import ShapeMismatch
from millrace._src.checkpoint.supplementary_graph import SupplementaryGraph, supplementary_graph
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.trackable.deferred_restoration import VARIABLE_VALUE_KEY

if TYPE_CHECKING:  # a restoration reports on itself
    from millrace._src.checkpoint.name_based import NameBasedRestoration
    from millrace._src.checkpoint.restore import Restoration, RestorationBase


def report_of(restoration: Restoration) -> RestoreReport:
    """Returns the report of a checkpoint of objects, as things stand now."""
    mismatches = {id(mismatch.variable): mismatch for mismatch in restoration.mismatches}
    matched = restoration.matched_node_ids()
    rows = []
    for trackable, key, value in _program_values(restoration):
        rows.append(_program_row(restoration, trackable, key, value, matched, mismatches.get(id(trackable))))
    rows.extend(_unused_rows(restoration))
    return _report(restoration, rows, bool(mismatches) and not restoration.has_given, _slot_names(restoration))


def _slot_names(restoration: Restoration) -> set[str]:
    """Returns the names of saved slots that are matched by what they are for: their indices and names say nothing."""
    nodes = restoration.proto.nodes
    return {readable(value.checkpoint_key) for number in restoration.slot_numbers for value in nodes[number].attributes}


def report_of_names(restoration: NameBasedRestoration) -> RestoreReport:
    """Returns the report of a checkpoint without objects."""
    rows = []
    reader = restoration.reader
    mismatches = {id(mismatch.variable): mismatch for mismatch in restoration.mismatches}
    for trackable, key, value in _program_values(restoration):
        name = full_name_of(trackable)
        if id(trackable) in mismatches:
            rows.append(_mismatch_row(name, value, mismatches[id(trackable)]))
        elif name in restoration.taken:
            rows.append(ReportRow(LOADED, name, value, _read_saved_value(reader, name)))
        else:
            rows.append(ReportRow(MISSING, name or readable(key), value))
    unused = [key for key in reader.keys() if key not in restoration.taken]  # noqa: SIM118  a reader is not a dict
    rows.extend(ReportRow(UNUSED, key, None, _read_saved_value(reader, key)) for key in unused)
    return _report(restoration, rows, bool(mismatches) and not restoration.has_given)


def _report(
    restoration: RestorationBase, rows: Sequence[ReportRow], is_refused: bool, unlike: Set[str] = frozenset()
) -> RestoreReport:
    """Returns the report of rows, with the nearest names of those that are missing on one side.

    Args: unlike: the names of values that are nearest to none.
    """
    missing = {row.name: str(row.program) for row in rows if row.state == MISSING and row.name not in unlike}
    unused = {row.name: str(row.saved) for row in rows if row.state == UNUSED and row.name not in unlike}
    nearest = nearest_names(missing, unused)
    nearest |= {theirs: ours for ours, theirs in nearest.items()}
    order = (WRONG_SHAPE, WRONG_DTYPE, MISSING, UNUSED, LOADED)
    rows = [
        dataclasses.replace(row, nearest_name=nearest.get(row.name)) if row.state in (MISSING, UNUSED) else row
        for row in rows
    ]
    return RestoreReport(restoration.reader.prefix, sorted(rows, key=lambda row: order.index(row.state)), is_refused)


def _program_values(restoration: RestorationBase) -> Iterator[tuple[Any, str, ReportedValue]]:
    """Yields all values of the program: the object, the key that the value would have, and what is known of it."""
    view = ObjectGraphView(restoration.root, attached=restoration.attached)
    supplement = supplementary_graph(view) if restoration.has_supplement else SupplementaryGraph()
    for trackable, path in zip([*view.nodes(), *supplement.nodes], [*view.paths, *supplement.paths]):
        if is_variable(trackable):
            yield (
                trackable,
                checkpoint_key(path, VARIABLE_VALUE_KEY),
                ReportedValue(TensorShape(trackable.shape), as_dtype(trackable.dtype)),
            )
            continue
        for attribute in attributes_of(trackable, functools.partial(checkpoint_key, path)):
            yield trackable, attribute.key, _value_of(attribute.tensors)


def _value_of(tensors: Sequence[Any]) -> ReportedValue:
    if len(tensors) == 1 and isinstance(tensors[0].value, Tensor):
        return ReportedValue(tensors[0].value.shape, tensors[0].value.dtype)
    return ReportedValue()


def _program_row(
    restoration: Restoration,
    trackable: object,
    key: str,
    value: ReportedValue,
    matched: dict[int, int],
    mismatch: ShapeMismatch | None,
) -> ReportRow:
    if mismatch is not None:
        return _mismatch_row(readable(key), value, mismatch)
    node_id = matched.get(id(trackable))
    attribute = key.rpartition("/")[2]
    if node_id is not None:
        for saved in restoration.proto.nodes[node_id].attributes:
            if saved.checkpoint_key.rpartition("/")[2] == attribute:
                return ReportRow(
                    LOADED, readable(key), value, _read_saved_value(restoration.reader, saved.checkpoint_key)
                )
    return ReportRow(MISSING, readable(key), value, note=_shared_note(restoration, key))


def _mismatch_row(name: str, value: ReportedValue, mismatch: ShapeMismatch) -> ReportRow:
    state = WRONG_SHAPE if mismatch.is_of_shape else WRONG_DTYPE
    return ReportRow(state, name, value, ReportedValue(mismatch.saved_shape, mismatch.saved_dtype))


def _shared_note(restoration: Restoration, key: str) -> str:
    """Says that the saved object of a value was matched to another object: the two were one when saved."""
    nodes = restoration.proto.nodes
    node = nodes[0]
    for part in key.partition(f"/{ATTRIBUTES}/")[0].split("/"):
        numbers = [child.node_id for child in node.children if escape(child.local_name) == part]
        if not numbers:
            return ""
        node = nodes[numbers[0]]
        if numbers[0] in restoration.slot_numbers:
            return ""
    for attribute in node.attributes:
        if attribute.checkpoint_key == key:
            return "another object took the value before"
        return f"one object with {readable(attribute.checkpoint_key)} in the checkpoint"
    return ""


def _unused_rows(restoration: Restoration) -> Iterator[ReportRow]:
    parents = {
        child.node_id: (node_id, child.local_name)
        for node_id, node in reversed(list(enumerate(restoration.proto.nodes)))
        for child in reversed(node.children)
    }
    for node_id, node in enumerate(restoration.proto.nodes):
        unused = restoration.unused_attributes.get(node_id, ())
        for attribute in node.attributes:
            if not restoration.was_bound(node_id) or attribute.name in unused:
                key = attribute.checkpoint_key
                refusal = restoration.refused_slots.get(node_id, "")
                waiting = "" if refusal else _waiting_note(restoration, node_id, parents)
                saved = _read_saved_value(restoration.reader, key)
                yield ReportRow(UNUSED, readable(key), None, saved, note=refusal or waiting, is_waiting=bool(waiting))


def _waiting_note(restoration: Restoration, node_id: int, parents: Mapping[int, tuple[int, str]]) -> str:
    """Says which child that an object of the program has not made yet a value waits for; "" if it waits for none."""
    passed = set()
    while node_id in parents and node_id not in passed:
        passed.add(node_id)
        node_id, name = parents[node_id]
        owner = restoration.matching_object(node_id)
        if owner is not None:
            container = parents.get(node_id, (0, ""))[1] + "/" if name.isdecimal() else ""
            return f"waits for {container}{name}" if name in owner._self_unconditional_deferred_dependencies else ""
    return ""


def _read_saved_value(reader: ValueReader, key: str) -> ReportedValue:
    if key not in reader:
        return ReportedValue()
    entry = reader.entry(key)
    return ReportedValue(TensorShape(entry.shape), entry.dtype)


def readable(key: str) -> str:
    """Returns a key of a checkpoint as the path to a value.

    >>> from millrace._src.checkpoint.report_rows import readable
    >>> readable("model/bias/.ATTRIBUTES/VARIABLE_VALUE"), readable("words/.ATTRIBUTES/table")
    ('model/bias', 'words:table')
    """
    path, separator, attribute = key.rpartition(f"/{ATTRIBUTES}/")
    if not separator:
        return key
    name = path or "(root)"
    return name if attribute == VARIABLE_VALUE_KEY else f"{name}:{attribute}"
