"""Summaries of how full queues of input are, which TensorFlow 1's input functions add to a graph.

Tests: tests/oracle/programs/v1_input_queues.py
"""

from __future__ import annotations

from millrace._src.compat_v1.summary.summary_ops import scalar
from millrace._src.core.dtypes import float32
from millrace._src.ops.math.binary import maximum
from millrace._src.ops.math.casting import cast
from millrace._src.state.queues import QueueBase


def note_fullness(queue: QueueBase, capacity: int, name: str | None = None) -> None:
    """Adds the summary of the part of a queue's capacity that is in use.

    Args:
      queue: the queue.
      capacity: the most elements of the queue.
      name: the name of the summary; None for a name that states the capacity.
    """
    scalar(name or f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))


def note_fullness_over(queue: QueueBase, least: int, capacity: int) -> None:
    """Adds the summary of the part of a queue's capacity that is in use, of what lies over the least size.

    Args:
      queue: the queue.
      least: how many elements stay in the queue.
      capacity: the most elements of the queue.
    """
    room = capacity - least
    over = cast(maximum(0, queue.size() - least), float32)
    scalar(f"fraction_over_{least}_of_{room}_full", over * (1.0 / max(1, room)))
