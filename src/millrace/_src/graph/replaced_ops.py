"""Ops in files of TensorFlow 1 for which no operation of theirs is made: `functionalization` writes them as others.

Control flow of single nodes (`Switch`, `Merge`), variables that are tensors, and tables that are named by a string.

Tests: tests/formats/test_v1_graphs_of_tensorflow.py
"""

from __future__ import annotations

SUCCESSORS = {
    name: f"{name}V2"
    for name in (
        "HashTable",
        "InitializeTable",
        "InitializeTableFromTextFile",
        "LookupTableExport",
        "LookupTableFind",
        "LookupTableImport",
        "LookupTableInsert",
        "LookupTableSize",
        "MutableDenseHashTable",
        "MutableHashTable",
        "MutableHashTableOfTensors",
    )
}
"""Ops on tables that the graph refers to by name, and the ops that took their position, with the same attributes."""

DATAFLOW_CONTROL = ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond")
REFERENCE_VARIABLES = ("Variable", "VariableV2")
REPLACED_OPS = frozenset(
    (*SUCCESSORS, *REFERENCE_VARIABLES, *DATAFLOW_CONTROL, *(f"Ref{op}" for op in DATAFLOW_CONTROL))
)
"""The ops for which no operation of theirs is made."""
