"""`tf.compat.v1.VariableScope`: a prefix of variables' names, and defaults of `get_variable` under that prefix.

A scope is a plain record. `variable_scope` makes scopes and puts them in force, `get_variable` reads them.

Tests: tests/compat_v1/variables/test_scope_opening.py
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.variables.collections import (
    get_collection,
    global_variables,
    local_variables,
    trainable_variables,
)
from millrace._src.core import context
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.dtypes import float32
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export, export_constant


class _ReuseMode(enum.Enum):
    """How `get_variable` may use a variable that is there."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
"""The value of `reuse` that lets `get_variable` make a variable, or return the one that is there."""
export_constant(__name__, "AUTO_REUSE", v1=["AUTO_REUSE"])


@export(v1=["VariableScope"])
@tensorflow_home("python.ops.variable_scope")
class VariableScope:
    """A prefix of variables' names, and the defaults of `tf.compat.v1.get_variable` under that prefix.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer") as scope:
    ...     scope.name, scope.reuse, scope.original_name_scope
    ('layer', False, 'layer/')

    Args:
      reuse: True to use variables that are there, `tf.compat.v1.AUTO_REUSE` to make those that are not, else to refuse
        variables that are there. Eager scopes are always those of `AUTO_REUSE`.
      name: The prefix, without a "/" at its end.
      initializer: The default initializer.
      regularizer: The default regularizer: a function of a variable that returns a loss or None.
      caching_device: The default device of copies.
      partitioner: The default partitioner.
      custom_getter: A function that gets variables instead of the usual one, which is its first argument.
      name_scope: The name scope that was opened along with this scope.
      dtype: The default dtype.
      use_resource: The default kind of variables; see `tf.compat.v1.Variable`.
      constraint: The default constraint.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint
        if context.executing_eagerly():
            self._refuse_caching(caching_device)
            self._reuse = AUTO_REUSE
            self._use_resource = True

    @property
    def name(self) -> str:
        """The prefix, without a "/" at its end."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that was opened along with this scope, with a "/" at its end."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables that are there are used."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """The default initializer."""
        return self._initializer

    @property
    def dtype(self) -> Any:
        """The default dtype."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """The default kind of variables."""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        """The default device of copies."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """The function that gets variables instead of the usual one."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """The default constraint."""
        return self._constraint

    def reuse_variables(self) -> None:
        """Makes `get_variable` return the variables that are there, from now on."""
        self._reuse = True

    def set_initializer(self, initializer: object) -> None:
        """Sets the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default dtype."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets the default kind of variables.

        Raises: ValueError: for False in eager mode.
        """
        if context.executing_eagerly() and not use_resource:
            raise ValueError("When eager execution is enabled, use_resource cannot be set to false.")
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: object) -> None:
        """Sets the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: object) -> None:
        """Sets the default device of copies.

        Raises: NotImplementedError: in eager mode.
        """
        self._refuse_caching(caching_device)
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: object) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Callable[..., Any] | None) -> None:
        """Sets the function that gets variables instead of the usual one."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """Returns the items of a collection whose names begin with that of this scope."""
        return get_collection(name, self._prefix)

    def trainable_variables(self) -> list[Any]:
        """Lists the variables of this scope that optimizers change."""
        return trainable_variables(self._prefix)

    def global_variables(self) -> list[Any]:
        """Lists the global variables of this scope."""
        return global_variables(self._prefix)

    def local_variables(self) -> list[Any]:
        """Lists the local variables of this scope."""
        return local_variables(self._prefix)

    @property
    def _prefix(self) -> str:
        return f"{self._name}/" if self._name else ""

    def full_name(self, name: str) -> str:
        """Returns the name of a variable with the prefix of this scope."""
        return self._prefix + name

    @staticmethod
    def _refuse_caching(caching_device: object) -> None:
        if caching_device is not None and context.executing_eagerly():
            raise NotImplementedError("Caching devices is not yet supported when eager execution is enabled.")
