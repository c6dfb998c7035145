"""Operands of a choice by one condition: computed only where the choice takes them.

    v1 = k1(a0)                    if v2:
    v3 = k3(v2, v1, a0)     ->         v1 = k1(a0)
                                       v3 = v1
                                   else:
                                       v3 = a0

A picture is mirrored at random by such a choice, and half of the pictures are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from millrace._src.core.dtypes import string
from millrace._src.core.op_def import Effects
from millrace._src.engines.numpy.instructions import BranchChoice, Instruction, Line
from millrace._src.passes.exactness import refused_inputs
from millrace._src.passes.optimized_graph import Node

_FEWEST = 1 << 11
"""The number of elements of a result from which on computing it for nothing costs more than a branch."""


def compute_lazily(block: list[Instruction], results: Container[str]) -> None:
    """Moves the lines that compute an operand of a choice into the branch that takes the operand.

    Args:
      block: the instructions, which are changed.
      results: the names that are read after the block.
    """
    choices = [line for line in block if isinstance(line, Line) and line.node is not None and _is_choice(line.node)]
    if not choices:
        return
    readers = Counter(name for instruction in block for name in instruction.reads())
    makers = {
        line.targets[0]: line for line in block if isinstance(line, Line) and line.node is not None and _waits(line)
    }
    for name in [name for name in makers if readers[name] != 1 or name in results]:
        del makers[name]
    for line in reversed(choices):
        test, taken, other = line.uses
        if len({test, taken, other}) == 3:
            _move(line, block, makers)


def _move(line: Line, block: list[Instruction], makers: dict[str, Line]) -> None:
    """Replaces a line that chooses by two branches."""
    test, *operands = line.uses
    moved = [_lines_behind(name, makers) for name in operands]
    if not any(moved):
        return
    positions = {id(instruction): position for position, instruction in enumerate(block)}
    branches = [(sorted(lines, key=lambda one: positions[id(one)]), [name]) for lines, name in zip(moved, operands)]
    block[positions[id(line)]] = BranchChoice(test, branches, [*line.targets], line.node)
    gone = {id(one) for lines in moved for one in lines}
    block[:] = [instruction for instruction in block if id(instruction) not in gone]


def _lines_behind(name: str, makers: dict[str, Line]) -> list[Instruction]:
    """Returns the lines that nothing but a value needs; takes them out of `makers`."""
    maker = makers.pop(name, None)
    if maker is None:
        return []
    return [maker, *[line for use in set(maker.uses) for line in _lines_behind(use, makers)]]


def _is_choice(node: Node) -> bool:
    """Returns whether a node takes one of two operands of its own shape, whole."""
    if not node.op_def.traits.selects_operand or node.inputs[0].shape.rank != 0:
        return False
    sizes = node.outputs[0].shape.dim_sizes
    return _is_large(node) and all(value.shape.dim_sizes == sizes for value in node.inputs[1:])


def _waits(line: Line) -> bool:
    """Returns whether a line may run later or not at all: whether it only computes one large array."""
    node: Node = line.node
    if node.effects is not Effects.NONE or node.must_run or node.holds_functions or node.added or node.only_checks:
        return False
    if len(node.outputs) != 1 or not _is_large(node) or line.consumed is not None:
        return False
    return not refused_inputs(node) and not _may_refuse_unseen(node)


def _may_refuse_unseen(node: Node) -> bool:
    """Returns whether a node may refuse what its op does not declare: malformed texts, sizes that do not fit."""
    values = (*node.inputs, *node.outputs)
    return any(value.dtype is string or value.shape.num_elements() is None for value in values)


def _is_large(node: Node) -> bool:
    return (node.outputs[0].shape.num_elements() or 0) >= _FEWEST
