"""Signatures: the functions of a SavedModel that programs call by name, with tensors by name.

Problem: a signature is called from C++ with a flat set of named tensors, and gives such a set. The user's function has
arguments by position, Python values, structures.

Idea: each signature is a function of its own with one keyword argument for each tensor, which calls the user's function
and names the results `output_0`, `output_1`, ... where these have no names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import eager_mode
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.graph.static_values import get_static_value
from millrace._src.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from millrace._src.util import nest

_DEFAULT_ATTRIBUTE = "_default_save_signature"

_NO_PART_OF_A_NAME = re.compile(r"[^A-Za-z0-9_.\\-]")
_NO_BEGINNING_OF_A_NAME = re.compile(r"^[^A-Za-z0-9.]+")


# --- finding the default ---------------------------------------------------------------------------------------------


def default_signature(children: Mapping[str, Any]) -> Any:
    """Returns the one function of an object that can be a signature without being called, or None.

    Args: children: the children of the root.
    """
    function = children.get(_DEFAULT_ATTRIBUTE)
    if function is not None:
        return function if concrete_signature(function) is not None else None
    signatures = [concrete_signature(child) for child in children.values()]
    possible = [concrete for concrete in signatures if concrete is not None]
    return possible[0] if len(possible) == 1 and _has_named_outputs(possible[0]) else None


def _has_named_outputs(concrete: ConcreteFunction) -> bool:
    """Returns whether the results of a function are those of a signature."""
    try:
        _name_outputs(concrete.structured_outputs, "", concrete)
    except ValueError:
        return False
    return True


def concrete_signature(function: object) -> ConcreteFunction | None:
    """Returns the graph of a function that is known without a call: of concrete functions, and input signatures."""
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    return None


# --- making signatures -----------------------------------------------------------------------------------------------


class SavedSignature:
    """One signature: the function with named tensors, and the default values of its arguments."""

    def __init__(self, function: ConcreteFunction, defaults: Mapping[str, Any]) -> None:
        self.function = function
        self.defaults = defaults


def canonical_signatures(signatures: object) -> dict[str, SavedSignature]:
    """Returns the signatures of a SavedModel by name, as functions of named tensors.

    Args: signatures: a `tf.function`, a concrete function, a dict of such, or None.

    Raises: ValueError: if a signature is not a function whose tensors are known, or does not return named tensors.
    """
    if signatures is None:
        return {}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return {key: _signature(key, function) for key, function in signatures.items()}


def _signature(key: object, function: object) -> SavedSignature:
    if not isinstance(key, str):
        raise ValueError(f"The keys of `signatures` must be strings; got {key!r} of type {type(key)}.")
    concrete = _graph_for(function)
    if concrete is None:
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
            "`tf.functions` with an input signature or concrete functions can be used as a signature."
        )
    name = f"signature_wrapper_{function.name}" if isinstance(function, Function) else "signature_wrapper"
    return SavedSignature(_wrapper(key, concrete, name), _default_tensors(function, concrete))


def _graph_for(function: object) -> ConcreteFunction | None:
    concrete = concrete_signature(function)
    if concrete is None and isinstance(function, Function) and not function.function_type.parameters:
        concrete = function.get_concrete_function()
    return concrete


def _default_tensors(function: object, concrete: ConcreteFunction) -> dict[str, Any]:
    """Returns the default values that are tensors, by the names of the arguments in the signature."""
    if not isinstance(function, Function):
        return {}
    names = dict(zip(concrete.function_type.parameters, concrete._arg_keywords))
    values = function.default_values
    return {names[name]: value for name, value in values.items() if name in names and isinstance(value, EagerTensor)}


def _wrapper(key: str, concrete: ConcreteFunction, name: str) -> ConcreteFunction:
    """Traces a function with a keyword argument for each tensor of `concrete`."""
    names = concrete._arg_keywords
    _check_names(key, names, name)
    tensors = concrete.inputs[: len(names)]

    captured = [_eager(tensor) for tensor in captured_tensors(concrete)]

    def signature_wrapper(**kwargs: object) -> dict[str, Any]:
        return _name_outputs(concrete.call_flat([kwargs[n] for n in names], captured), key, concrete)

    specs = {n: TensorSpec(t.shape, t.dtype, name=n) for n, t in zip(names, tensors)}
    with eager_mode():
        wrapper = Function(signature_wrapper, name, FunctionOptions(autograph=False))
        function = wrapper.get_concrete_function(**specs)
    if len(names) != 1:  # by position only where there is no doubt
        function.take_keywords_only()
    return function


def captured_tensors(concrete: ConcreteFunction) -> list[Any]:
    """Returns what a function captures.

    Raises: ValueError: if that is a tensor of a graph whose value is not known.
    """
    tensors = concrete.saved_captures
    for tensor in tensors:
        if isinstance(tensor, SymbolicTensor) and get_static_value(tensor) is None:
            raise ValueError(
                f"Unable to save function {concrete.name!r} because it captures graph tensor {tensor} from a parent "
                "function which cannot be converted to a constant with `tf.get_static_value`."
            )
    return tensors


def _eager(tensor: object) -> Any:
    if isinstance(tensor, SymbolicTensor):
        return convert_to_tensor(get_static_value(tensor), dtype=tensor.dtype)
    return tensor


def _check_names(key: str, names: Sequence[str], function_name: str) -> None:
    """Refuses arguments whose names are not names of nodes.

    Raises: ValueError: in TensorFlow's words.
    """
    for name in names:
        if placeholder_name(name) != name.replace("/", "_"):
            raise ValueError(
                f"Got non-flat/non-unique argument names for SavedModel signature '{key}': more than one argument to "
                f"'{function_name}' was named '{name}'. Signatures have one Tensor per named input, so to have "
                "predictable names Python functions used to generate these signatures should avoid *args and Tensors "
                "in nested structures unless unique names are specified for each. Use tf.TensorSpec(..., name=...) to "
                "provide a name for a Tensor input."
            )


def placeholder_name(text: str) -> str:
    """Returns a text as a name of a node: `_` for what may not stand there, nothing for what may not come first."""
    return _NO_BEGINNING_OF_A_NAME.sub("", _NO_PART_OF_A_NAME.sub("_", text))


def _name_outputs(outputs: object, key: str, concrete: ConcreteFunction) -> dict[str, Any]:
    """Returns the results by name.

    Raises: ValueError: if a result is not a tensor, or a name no string.
    """
    source = f"the output of the function {concrete.name.decode()} used to generate the SavedModel signature '{key}'"
    if not isinstance(outputs, Mapping):
        names = nest.named_tuple_fields(outputs)
        values = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        outputs = dict(zip(names or [f"output_{number}" for number in range(len(values))], values))
    for name, value in outputs.items():
        if not isinstance(name, str):
            raise ValueError(f"Got a dictionary with a non-string key {name!r} in {source}.")
        if not isinstance(value, (Tensor, CompositeTensor)):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key '{name}' in {source}. Outputs for functions used as "
                "signatures must be a single Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return dict(outputs)
