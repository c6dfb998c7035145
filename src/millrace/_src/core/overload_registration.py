"""`tf.experimental.dispatch_for_api` and its kin: users teach public functions their own classes.

A *target* is registered with annotations of the function's parameters. A call goes to the target if the annotated
arguments are of the annotated types and a composite tensor is among them; see `overloads` for how the call gets there.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from millrace._src.core import context
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.overloads import (
    Gate,
    Target,
    add_user_handler,
    gate_of,
    operand_count,
    remove_target,
    user_handlers,
)
from millrace._src.util.export import export

if TYPE_CHECKING:
    pass

Function = TypeVar("Function", bound=Callable[..., Any])


# --- annotations -------------------------------------------------------------------------------------------------


def _check_annotation(annotation: object) -> None:
    """Raises ValueError for an annotation that is not a class, union, or list of such."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    is_list_of_one = origin is list and len(inner) == 1
    if _is_union(annotation) or is_list_of_one:
        for part in inner:
            if not _is_tensor_like_part(part):
                _check_annotation(part)
    elif not (isinstance(annotation, type) and origin is None):
        raise ValueError(
            f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: type "
            "objects,  List[...], and Union[...]"
        )


def _is_tensor_like_part(annotation: object) -> bool:
    """Returns whether an annotation is one of the lists, tuples and arrays of any items in `TensorLike`."""
    return typing.get_origin(annotation) is not None and all(
        part is Any or part is Ellipsis or _is_generic(part) for part in typing.get_args(annotation)
    )


def _is_generic(annotation: object) -> bool:
    return typing.get_origin(annotation) is not None and not _is_union(annotation)


def _is_union(annotation: object) -> bool:
    return typing.get_origin(annotation) in {typing.Union, types.UnionType}


def _fits(value: Any, annotation: Any) -> bool:
    """Returns whether a value is of an annotated type."""
    if _is_union(annotation):
        return any(_fits(value, part) for part in typing.get_args(annotation))
    origin = typing.get_origin(annotation)
    if origin is None:
        return isinstance(value, annotation)
    if _is_tensor_like_part(annotation):
        return isinstance(value, origin)
    (item,) = typing.get_args(annotation)
    return isinstance(value, (list, tuple)) and all(_fits(part, item) for part in value)


def _holds_composite(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_composite(item) for item in value)
    return isinstance(value, CompositeTensor)


def _matches(signature: dict[str, Any], arguments: dict[str, Any]) -> bool:
    """Returns whether arguments are of the annotated types and a composite tensor is among the annotated ones."""
    values = [arguments[name] for name in signature]
    fits = all(_fits(value, annotation) for value, annotation in zip(values, signature.values(), strict=True))
    return fits and any(_holds_composite(value) for value in values)


# --- one function --------------------------------------------------------------------------------------------------


@export("experimental.dispatch_for_api")
def dispatch_for_api(api: object, *signatures: object) -> Callable[[Function], Function]:
    """Makes a decorator that overrides a public function for arguments of given types.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.add, {"x": Masked, "y": Masked})
    ... def masked_add(x, y, name=None):
    ...     return Masked(x.values + y.values, x.mask & y.mask)
    >>> tf.add(Masked([1, 2], [True, False]), Masked([3, 4], [True, True])).values
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 6], dtype=int32)>

    Args:
      api: the public function.
      *signatures: dictionaries from names, or positions, of parameters to annotations: classes, `List[...]`,
        `Union[...]`. The target is called if all annotations of one dictionary fit and a composite tensor is among the
        annotated arguments. Without dictionaries the annotations of the target count.

    Returns: A decorator of the target. The target has the parameters of the function, in their order, and may leave out
      `name`; then the target runs in a name scope.
    Raises:
      ValueError: if `api` is not a public function or takes `*args`, the parameters of the target differ, an annotation
        is of another kind or for an unknown parameter, or there are no annotations.
      TypeError: if a signature is not a dictionary.
    """
    gate = gate_of(api)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in gate.signature.parameters.values()):
        raise ValueError(f"{api} does not support dispatch.")  # its arguments have no names to choose a target by
    given = [_name_parameters(gate, signature) for signature in signatures]

    def register(target: Function) -> Function:
        takes_name = _check_parameters(gate, target)
        chosen = given or [_signature_of_annotations(gate, target)]
        gate.targets.append(
            Target(
                target,
                lambda arguments: any(_matches(signature, arguments) for signature in chosen),
                lambda _, arguments: _call_target(target, arguments, takes_name),
            )
        )
        return target

    return register


def _call_target(target: Callable[..., Any], arguments: dict[str, Any], takes_name: bool) -> Any:
    if takes_name or "name" not in arguments:
        return target(*arguments.values())
    remaining = dict(arguments)
    name = remaining.pop("name")
    if name is None:
        return target(*remaining.values())
    with context.name_scope(name):
        return target(*remaining.values())


def _name_parameters(gate: Gate, signature: object) -> dict[str, Any]:
    """Returns a signature with a checked annotation for each name of a parameter."""
    if not isinstance(signature, dict):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    names = list(gate.signature.parameters)
    named = {}
    for key, annotation in signature.items():
        is_position = isinstance(key, int) and -len(names) <= key < len(names)
        if not is_position and key not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {key!r}.")
        _check_annotation(annotation)
        named[names[key] if is_position else key] = annotation
    return named


def _signature_of_annotations(gate: Gate, target: Callable[..., Any]) -> dict[str, Any]:
    annotations = typing.get_type_hints(target)
    annotations.pop("return", None)
    if not annotations:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
            "has type annotations on its parameters."
        )
    return _name_parameters(gate, annotations)


def _check_parameters(gate: Gate, target: Callable[..., Any]) -> bool:
    """Returns whether a target takes a name; raises ValueError if its other parameters differ from the function's."""
    signature = inspect.signature(target)
    expected, names = list(gate.signature.parameters), list(signature.parameters)
    without_name = [name for name in expected if name != "name"]
    if names not in (expected, without_name):
        named = _with_name(signature) if "name" in expected else signature
        raise ValueError(f"Dispatch function's signature {named} does not match API's signature {gate.signature}.")
    return names == expected


def _with_name(signature: inspect.Signature) -> inspect.Signature:
    """Returns a signature that takes a name, as the public function does; the target may leave the name out."""
    if "name" in signature.parameters:
        return signature
    name = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    return signature.replace(parameters=[*signature.parameters.values(), name])


# --- all element-wise functions --------------------------------------------------------------------------------------


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: object) -> Callable[[Function], Function]:
    """Makes a decorator that overrides all unary element-wise functions for a first argument of a type.

    >>> class Boxed(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
    ... def unary(function, x):
    ...     return Boxed(function(x.values))
    >>> tf.abs(Boxed([-1, 2])).values
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>

    Args: x_type: an annotation of the first argument, as in `dispatch_for_api`.

    Returns: A decorator of the handler, `handler(function, x)`; the other arguments of a call travel with the function.
    Raises: ValueError: if a handler is registered for the type, or the annotation is of another kind.
    """
    return _handler_decorator("unary", "unary elementwise", (x_type,))


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: object, y_type: object) -> Callable[[Function], Function]:
    """Makes a decorator that overrides all binary element-wise functions for two arguments of given types.

    >>> class Boxed(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
    ... def binary(function, x, y):
    ...     return Boxed(function(x.values, y.values))
    >>> tf.multiply(Boxed([2]), Boxed([3])).values
    <tf.Tensor: shape=(1,), dtype=int32, numpy=array([6], dtype=int32)>

    Args:
      x_type: an annotation of the first argument, as in `dispatch_for_api`.
      y_type: an annotation of the second argument.

    Returns: A decorator of the handler, `handler(function, x, y)`.
    Raises: ValueError: if a handler is registered for the types, or an annotation is of another kind.
    """
    return _handler_decorator("binary", "binary elementwise", (x_type, y_type))


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: object, y_type: object) -> Callable[[Function], Function]:
    """Makes a decorator that overrides `tf.debugging.assert_equal` and its kin for two arguments of given types.

    >>> class Boxed(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Boxed, Boxed)
    ... def check(function, x, y):
    ...     function(x.values, y.values)
    >>> tf.debugging.assert_less(Boxed([1]), Boxed([2]))

    Args:
      x_type: an annotation of the first argument, as in `dispatch_for_api`.
      y_type: an annotation of the second argument.

    Returns: A decorator of the handler, `handler(function, x, y)`.
    Raises: ValueError: if a handler is registered for the types, or an annotation is of another kind.
    """
    return _handler_decorator("binary_assert", "binary elementwise assert", (x_type, y_type))


def _handler_decorator(kind: str, words: str, annotations: tuple[Any, ...]) -> Callable[[Function], Function]:
    for annotation in annotations:
        _check_annotation(annotation)

    def register(handler: Function) -> Function:
        for target in user_handlers(kind):
            if isinstance(target, _Handler) and target.annotations == annotations:
                which = annotations[0] if len(annotations) == 1 else annotations
                raise ValueError(
                    f"A {words} dispatch handler ({target.function}) has already been registered for {which}."
                )
        add_user_handler(kind, _Handler(kind, handler, annotations))
        return handler

    return register


class _Handler(Target):
    """A handler of all element-wise functions of a kind."""

    def __init__(self, kind: str, function: Callable[..., Any], annotations: tuple[Any, ...]) -> None:
        super().__init__(function, self._is_meant, functools.partial(_call_handler, function))
        self.annotations = annotations
        self._count = operand_count(kind)

    def _is_meant(self, arguments: dict[str, Any]) -> bool:
        names = list(arguments)[: self._count]
        return _matches(dict(zip(names, self.annotations, strict=True)), arguments)


def _call_handler(function: Callable[..., Any], gate: Gate, arguments: dict[str, Any]) -> Any:
    return gate.handle(function, arguments)


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Forgets a function that was registered by one of `tf.experimental.dispatch_for_...`.

    >>> class Boxed(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.abs)
    ... def boxed_abs(x: Boxed):
    ...     return Boxed(tf.abs(x.values))
    >>> tf.experimental.unregister_dispatch_for(boxed_abs)

    Args: dispatch_target: the target or handler.

    Raises: ValueError: if the function was not registered.
    """
    if not remove_target(dispatch_target):
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")
