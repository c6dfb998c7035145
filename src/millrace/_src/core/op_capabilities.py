"""The capabilities of an op: whether its kernel reads files, writes files, or runs Python.

Problem: a graph is data until it runs. Then a `WriteFile` in a graph from somewhere writes files, and a `PyFunc` calls
whatever Python function of the process has the name that the graph gives.

Idea: each op declares what its kernel can do beyond computing. Code that runs graphs of strangers reads the declaration
and decides (`graph/op_policy.py`); `tests/contracts/test_every_capability.py` holds the declarations to what kernels
really do.

Tests: tests/contracts/test_every_capability.py
"""

from __future__ import annotations

import enum


class Capability(enum.Flag):
    """What an op can do beyond computing with its operands and changing resources among them."""

    NOTHING = 0
    READS_FILES = enum.auto()
    """Reads files, or finds out which files there are; also those of other computers, where names lead there."""
    WRITES_FILES = enum.auto()
    """Makes, changes or removes files and folders."""
    RUNS_PYTHON = enum.auto()
    """Runs Python functions of this process that the graph names."""
    EVERYTHING = READS_FILES | WRITES_FILES | RUNS_PYTHON
