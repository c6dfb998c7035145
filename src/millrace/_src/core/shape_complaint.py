"""What a shape rule says against the inputs of an op, apart from who says it.

TensorFlow words the same fault in two ways: its shape inference while a graph is built ("Shape must be rank 0 but is
rank 1 for 'node' ..."), its kernels while they run ("nbins should be a scalar. [Op:...]"). A rule states both; the
graph and the dispatch of eager calls take the words that are theirs and add the place. A kernel raises the same
complaint as the rule.
"""

from __future__ import annotations


class ShapeComplaint(ValueError):  # it becomes an error where an op is named
    """Inputs that do not fit an op.

    Attributes:
      traced: TensorFlow's words while a graph is built.
      running: TensorFlow's words when the op runs; the same unless they are given.
    """

    def __init__(self, traced: str, *, running: str | None = None) -> None:
        super().__init__(traced)
        self.traced = traced
        self.running = traced if running is None else running
