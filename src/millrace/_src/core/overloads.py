"""Overloads of public functions for composite tensors: what `tf.concat` does with ragged tensors.

Problem: some two hundred public functions take ragged tensors, fewer take sparse ones, and users teach them their own
classes. The functions themselves know only tensors, and a call with tensors must not pay for the others.

Idea: an overload is a function with the parameters of a public function, declared for a class: the class's presence
among the arguments, or in a list among them, selects the overload. One handler may serve all element-wise functions of
a kind. Overloads of a class are switched on when its first value is made: only then do the functions ask
(`overloaded_code`); the overloads themselves are imported when they are first selected (`core/op_homes.py`).
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.op_homes import ELEMENTWISE_OVERLOAD_HOMES, OVERLOAD_HOMES
from millrace._src.core.op_registry import import_home
from millrace._src.core.overloaded_code import original_of, put_gate
from millrace._src.core.tensor import EagerTensor
from millrace._src.util.class_table import MAX_KNOWN_CLASSES, ClassTable
from millrace._src.util.export import (
    elementwise_functions,
    elementwise_kind,
    find_exported,
    listen_to_exports,
    public_names,
)

Function = TypeVar("Function", bound=Callable[..., Any])

_declared: dict[tuple[str, type], Callable[..., Any]] = {}  # public name and class -> overload
_handlers: dict[tuple[str, type], Callable[..., Any]] = {}  # kind of element-wise functions and class -> handler
_gates: dict[int, Gate] = {}  # id of a public function -> its gate; public functions live as long as the program
_switched_on: set[type] = set()
_lock = threading.RLock()

_plain: set[type] = {EagerTensor, type(None), bool, int, float, complex, str, bytes}
"""Classes whose values neither are nor hold composite tensors."""

_SEQUENCES = (list, tuple)


def overload(*names_and_class: Any) -> Callable[[Function], Function]:
    """Declares an overload of public functions: `@overload("concat", RaggedTensor)`.

    The overload has the parameters of the function, in the same order.

    Args:
      *names_and_class: public names below `tf`, as in `export`, and last the class whose values select the overload.

    Returns: A decorator that returns the overload untouched.
    """
    *names, cls = names_and_class

    def declare(function: Function) -> Function:
        for name in names:
            _declared[name, cls] = function
        return function

    return declare


def overload_elementwise(kind: str, cls: type) -> Callable[[Function], Function]:
    """Declares how all element-wise functions of a kind treat values of a class.

    Args:
      kind: "unary": the handler takes `(function, x)`; "binary" or "binary_assert": it takes `(function, x, y)`. The
        function carries the other arguments of the call.
      cls: the class of the first argument, or of one of the first two.

    Returns: A decorator that returns the handler untouched.
    """

    def declare(function: Function) -> Function:
        _handlers[kind, cls] = function
        return function

    return declare


def switch_on(cls: type) -> None:
    """Lets the public functions ask for the overloads of a class; called when its first value is made."""
    with _lock:
        if cls in _switched_on:
            return
        if not _switched_on:
            listen_to_exports(_open_gate_if_wanted)
        _switched_on.add(cls)
        for name in OVERLOAD_HOMES.get(cls.__name__, ()):
            function = find_exported(name)
            if function is not None:
                gate_of(function)
        for kind in ELEMENTWISE_OVERLOAD_HOMES.get(cls.__name__, ()):
            for function in elementwise_functions(kind):
                gate_of(function)


def _open_gate_if_wanted(function: object) -> None:
    """Puts a gate to a function that is exported while overloads are on, if one of them is the function's."""
    names, kind = public_names(function), elementwise_kind(function)
    for cls in _switched_on:
        wanted = OVERLOAD_HOMES.get(cls.__name__, {})
        if kind in ELEMENTWISE_OVERLOAD_HOMES.get(cls.__name__, {}) or any(name in wanted for name in names):
            gate_of(function)
            return


def gate_of(function: object) -> Gate:
    """Returns the gate of a public function; puts one there where there is none.

    Raises: ValueError: if the function is not public, or no function.
    """
    with _lock:
        if not (inspect.isfunction(function) and public_names(function)):
            raise ValueError(f"{function} does not support dispatch.")
        gate = _gates.get(id(function))
        if gate is None:
            gate = _gates[id(function)] = Gate(function)
            put_gate(function, gate, _plain)
        return gate


class Target:
    """A function that a user registered, and the arguments that select the function.

    Args:
      function: the registered function.
      accepts: tells whether the function is meant for the arguments of a call, given by name.
      call: takes the public function and the arguments by name.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        accepts: Callable[[dict[str, Any]], bool],
        call: Callable[[Gate, dict[str, Any]], Any],
    ) -> None:
        self.function, self.accepts, self.call = function, accepts, call


class Gate:
    """What decides whether a call of a public function goes to the function or to an overload.

    Args: function: the public function.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.original = original_of(function)
        self.names = public_names(function)
        self.kind = elementwise_kind(function)
        self.signature = inspect.signature(function)
        self.targets: list[Target] = []
        self._overloads: ClassTable[Any] = ClassTable(self._find_overload)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, or the overload for the composite tensors among the arguments."""
        for arg in args if not kwargs else (kwargs,):
            cls = type(arg)
            if not (cls in _plain or cls in _SEQUENCES and _plain.issuperset(map(type, arg))):
                break
        else:  # mostly a list of tensors
            return self.original(*args)
        found_overload = self.overload_for(args, kwargs)
        result = NotImplemented if found_overload is None else found_overload(*args, **kwargs)
        return self.original(*args, **kwargs) if result is NotImplemented else result

    def overload_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
        """Returns the overload that the arguments of a call select, None for the function itself.

        Raises: ValueError: if two functions that users registered are meant.
        """
        classes = set(composite_classes((*args, *kwargs.values())))
        if not classes:
            return None
        if self.targets or _user_handlers.get(self.kind):
            target = self._target(self.arguments_by_name(args, kwargs))
            if target is not None:
                return lambda *args, **kwargs: target.call(self, self.arguments_by_name(args, kwargs))
        return next(filter(None, (self._overloads[cls] for cls in classes)), None)

    def arguments_by_name(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments of a call by name, in the order of the parameters, defaults filled in."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def _target(self, arguments: dict[str, Any]) -> Target | None:
        """Returns the user's function that the arguments select; raises ValueError if there are two."""
        chosen = [target for target in [*self.targets, *_user_handlers.get(self.kind, ())] if target.accepts(arguments)]
        if len(chosen) > 1:
            found = " and ".join(str(target.function) for target in chosen)
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for ({found}) match the arguments to "
                f"{self.names[0].rpartition('.')[-1]}"
            )
        return chosen[0] if chosen else None

    def _find_overload(self, cls: type) -> Callable[..., Any] | None:
        """Returns the overload for values of a class, also for values of a base of the class."""
        for base in cls.__mro__:
            for name in self.names:
                import_home(OVERLOAD_HOMES.get(base.__name__, {}).get(name))
                if (name, base) in _declared:
                    return _declared[name, base]
            if self.kind is None:
                continue
            import_home(ELEMENTWISE_OVERLOAD_HOMES.get(base.__name__, {}).get(self.kind))
            handler = _handlers.get((self.kind, base))
            if handler is not None:
                return functools.partial(self._handle, handler)
        return None

    def _handle(self, handler: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        return self.handle(handler, self.arguments_by_name(args, kwargs))

    def handle(self, handler: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Calls the handler of an element-wise kind with the function, which carries the arguments after the operands.

        Args:
          handler: takes a function and one or two operands.
          arguments: the arguments of the call by name.
        """
        count = operand_count(self.kind)
        names = list(arguments)
        operands = [arguments[name] for name in names[:count]]
        parameters = self.signature.parameters
        others = {name: arguments[name] for name in names[count:] if arguments[name] is not parameters[name].default}
        return handler(functools.partial(self.function, **others) if others else self.function, *operands)


def overload_of(name: str, *args: object) -> Callable[..., Any] | None:
    """Returns the overload of a public function for arguments; None without one, or before the function's import.

    Args:
      name: the function's name, as in `export`.
      *args: the arguments of the call.
    """
    gate = _gates.get(id(find_exported(name)))
    return None if gate is None else gate.overload_for(args, {})


_user_handlers: dict[str | None, list[Target]] = {}  # kind -> the handlers that users registered


def add_user_handler(kind: str, target: Target) -> None:
    """Registers a user's handler of all element-wise functions of a kind, also of those that are imported later."""
    with _lock:
        if not _user_handlers:
            listen_to_exports(_open_gate_of_kind)
        _user_handlers.setdefault(kind, []).append(target)
        for function in elementwise_functions(kind):
            gate_of(function)


def _open_gate_of_kind(function: object) -> None:
    if elementwise_kind(function) in _user_handlers:
        gate_of(function)


def remove_target(function: Callable[..., Any]) -> bool:
    """Forgets what a user registered; tells whether there was anything."""
    with _lock:
        lists = [*(gate.targets for gate in _gates.values()), *_user_handlers.values()]
        doomed = [(targets, target) for targets in lists for target in targets if target.function is function]
        for targets, target in doomed:
            targets.remove(target)
        return bool(doomed)


def user_handlers(kind: str) -> Sequence[Target]:
    """Lists the handlers that users registered for a kind of element-wise functions."""
    return tuple(_user_handlers.get(kind, ()))


def operand_count(kind: str | None) -> int:
    """Returns how many arguments of an element-wise function are operands."""
    return 1 if kind == "unary" else 2


def composite_classes(values: Sequence[Any]) -> Iterator[type]:
    """Yields the classes of the composite tensors among values, and in lists and tuples among them."""
    for cls in {*map(type, values)} - _plain:
        if issubclass(cls, CompositeTensor):
            yield cls
        elif issubclass(cls, _SEQUENCES):
            for value in values:
                if type(value) is cls:
                    yield from composite_classes(value)
        elif len(_plain) < MAX_KNOWN_CLASSES and cls is not dict:  # a dict means keyword arguments in a gate
            _plain.add(cls)
