"""`tf.compat.v1.make_template`: a function that makes its variables on the first call and shares them from then on.

A template has a variable scope of its own. The first call opens the scope for new variables, later calls for those that
are there. In eager mode the template also keeps the variables, since nothing else would.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.compat_v1.variables.collections import get_collection, trainable_variables
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.compat_v1.variables.scope_state import VariableStore, variables_of_graph
from millrace._src.compat_v1.variables.variable_scope import VariableScope
from millrace._src.core import context
from millrace._src.core.source_trace import user_frame
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["make_template"])
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: object,
) -> Template:
    """Makes a function that shares the variables of its first call with all later calls.

    >>> def scaled(x):
    ...     w = tf.compat.v1.get_variable("w", [], initializer=tf.compat.v1.ones_initializer())
    ...     return x * w
    >>> with tf.Graph().as_default():
    ...     layer = tf.compat.v1.make_template("layer", scaled)
    ...     y, z = layer(1.0), layer(2.0)
    ...     tf.compat.v1.global_variables()
    [<tf.Variable 'layer/w:0' shape=() dtype=float32>]

    The arguments end in "_" so that `kwargs` may have any name.

    Args:
      name_: The name of the variable scope, which is made unique.
      func_: The function; it makes variables by `tf.compat.v1.get_variable`.
      create_scope_now_: Whether the scope gets its name now, rather than on the first call.
      unique_name_: The name of the scope instead of `name_`; it is not made unique.
      custom_getter_: As in `tf.compat.v1.variable_scope`.
      **kwargs: Arguments of each call.

    Returns: A function that takes the other arguments of `func_`.
    Raises:
      ValueError: If there is no name; on calls after the first, if the function makes a variable otherwise than by
        `get_variable`, or one that the first call did not make.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    kind = EagerTemplate if context.executing_eagerly() else Template
    return kind(name_, func_, create_scope_now_, unique_name_, custom_getter_)


@tensorflow_home("python.ops.template")
class Template:
    """A function that shares the variables of its first call; see `tf.compat.v1.make_template`.

    Args: name: As all arguments, see `tf.compat.v1.make_template`.
    """

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable[..., Any] | None = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._made_at = user_frame()
        self._was_called = False
        self._variable_scope: VariableScope | None = None
        if create_scope_now:
            with self._new_scope(auxiliary_name_scope=False):
                pass

    @contextlib.contextmanager
    def _new_scope(self, auxiliary_name_scope: bool = True) -> Iterator[None]:
        """Opens the scope for the first time."""
        with variable_scope(
            self._unique_name,
            self._name,
            custom_getter=self._custom_getter,
            auxiliary_name_scope=auxiliary_name_scope,
        ) as self._variable_scope:
            yield

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Calls the function in the template's scope."""
        scope = self._variable_scope
        if scope is None:
            with self._new_scope():
                return self._first_call(args, kwargs)
        with variable_scope(scope, reuse=self._was_called):
            return self._later_call(args, kwargs) if self._was_called else self._first_call(args, kwargs)

    def _first_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self._explain():
            result = self._func(*args, **kwargs)
        self._was_called = True
        return result

    def _later_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function, which may make no variable.

        Raises: ValueError: if the function makes one that is trained.
        """
        with self._explain():
            known = {variable.ref() for variable in self._trained_variables()}
            result = self._func(*args, **kwargs)
            added = [variable for variable in self._trained_variables() if variable.ref() not in known]
            if added:
                raise ValueError(
                    "Trainable variable created when calling a template after the first time, perhaps you used "
                    f"tf.Variable when you meant tf.get_variable: {added}"
                )
        return result

    def _trained_variables(self) -> list[Any]:
        """Lists the variables among which a call may not add one."""
        return trainable_variables()

    @contextlib.contextmanager
    def _explain(self) -> Iterator[None]:
        """Adds to the message of an exception where the template was made."""
        try:
            yield
        except Exception as error:
            if error.args and self._made_at is not None:
                error.args = (f"{error.args[0]}\n\noriginally defined at:\n    {self._made_at}", *error.args[1:])
            raise

    @property
    def name(self) -> str:
        """The name that the template was given."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function that the template calls."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The template's scope; None before it has one."""
        return self._variable_scope

    @property
    def var_scope(self) -> VariableScope | None:
        """The older name of `variable_scope`."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the template's scope, with a "/" at its end; None before the template has one."""
        scope = self._variable_scope
        if scope is None:
            return None
        return scope.name if not scope.name or scope.name.endswith("/") else f"{scope.name}/"

    def _list_collection(self, key: str) -> list[Any]:
        """Returns the template's variables in a collection."""
        name = self.variable_scope_name
        return [] if name is None else get_collection(key, name)

    @property
    def variables(self) -> list[Any]:
        """The global and local variables of the template."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables of the template that optimizers change."""
        return self._list_collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other global variables of the template."""
        trained = {variable.ref() for variable in self.trainable_variables}
        return [variable for variable in self.global_variables if variable.ref() not in trained]

    @property
    def global_variables(self) -> list[Any]:
        """The global variables of the template."""
        return self._list_collection(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables of the template."""
        return self._list_collection(GraphKeys.LOCAL_VARIABLES)

    @property
    def weights(self) -> list[Any]:
        """The same as `variables`."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Any]:
        """The same as `trainable_variables`."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The same as `non_trainable_variables`."""
        return self.non_trainable_variables


@tensorflow_home("python.ops.template")
class EagerTemplate(Template):
    """A template of eager code, which keeps its variables.

    Args: name: As all arguments, see `tf.compat.v1.make_template`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._store = VariableStore(keeps_eager_variables=True)
        super().__init__(*args, **kwargs)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Calls the function in the template's scope, with the template's variables."""
        with variables_of_graph().store_in_force(self._store):
            return super().__call__(*args, **kwargs)

    @property
    def variables(self) -> list[Any]:
        """The variables of the template, by name."""
        return [self._store.variables[name] for name in sorted(self._store.variables)]

    @property
    def global_variables(self) -> list[Any]:
        """The variables of the template: eager code does not tell global from local ones."""
        return self.variables

    @property
    def local_variables(self) -> list[Any]:
        """No variables: eager code does not tell global from local ones."""
        return []

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables of the template that optimizers change."""
        return [variable for variable in self.variables if variable.trainable]

    def _trained_variables(self) -> list[Any]:
        return self.trainable_variables
