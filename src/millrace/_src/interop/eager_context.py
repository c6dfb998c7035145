"""What libraries ask of `tensorflow.python.eager.context`: to wait for kernels, and to free them.

Millrace has no such runtime: an eager op is complete when the call returns, and the caches of kernels are bounded. So
the functions here have nothing to wait for and nothing to free; all that has a meaning stands in `core.context`.
"""

from __future__ import annotations

from millrace._src.core import context as core_context


class Context:
    """The context of eager calls, by TensorFlow's names."""

    def executing_eagerly(self) -> bool:
        """Returns whether op calls compute at once."""
        return core_context.executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Does nothing: each op keeps a bounded number of bound kernels, which hold no memory of tensors."""

    def sync_executors(self) -> None:
        """Does nothing: eager ops are complete when their call returns."""


_context = Context()


def context() -> Context:
    """Returns the context of this process."""
    return _context


def async_wait() -> None:
    """Does nothing: eager ops are complete when their call returns."""


def async_clear_error() -> None:
    """Does nothing: an error of an eager op is raised by the call."""
