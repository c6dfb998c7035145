"""The complaint of a shape rule about the inputs of an op, in the words of graphs and of kernels.

TensorFlow words the same fault in two ways: its shape inference while a graph is built ("Shape must be rank 0 but is
rank 1 for 'node' ..."), its kernels while they run ("nbins should be a scalar. [Op:...]"). A rule states both messages;
the graph takes the first message, the dispatch of eager calls the second, and each adds the location. A kernel raises
the same complaint as the rule.
"""

from __future__ import annotations


class ShapeComplaint(ValueError):  # becomes an error with the name of an op
    """Inputs that do not fit an op.

    Attributes:
      traced: TensorFlow's words while a graph is built.
      running: TensorFlow's words when the op runs; by default the same as `traced`.
    """

    def __init__(self, traced: str, *, running: str | None = None) -> None:
        super().__init__(traced)
        self.traced = traced
        self.running = traced if running is None else running
