"""The interfaces of the callables of `tf.function`, as `tf.types.experimental` names them.

`ConcreteFunction` and `AtomicFunction`, which also have names there, are the classes of `concrete_function.py`.

Tests: tests/function/test_polymorphic_function.py
"""

from __future__ import annotations

import abc
from typing import Any

from millrace._src.util.export import export


@export("types.experimental.Callable")
class Callable(abc.ABC):
    """An object with a `FunctionType` that can be called on tensors."""

    @property
    @abc.abstractmethod
    def function_type(self) -> Any:
        """The signature, a `tf.types.experimental.FunctionType`."""

    @abc.abstractmethod
    def __call__(self, /, *args: object, **kwargs: object) -> Any:
        """Runs the function."""


@export("types.experimental.PolymorphicFunction", "types.experimental.GenericFunction")
class PolymorphicFunction(Callable):
    """The result of `tf.function`: traces a Python function for each kind of arguments, and calls the right trace."""

    @abc.abstractmethod
    def get_concrete_function(self, /, *args: object, **kwargs: object) -> Any:
        """Returns the trace for arguments, or for specs instead of tensors."""

    @abc.abstractmethod
    def experimental_get_compiler_ir(self, /, *args: object, **kwargs: object) -> Any:
        """Returns the compiler's form of the function for these arguments."""
