"""What the topics about datasets share: elements, orders and errors as values that a record can hold."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.oracle.support import normalise

_LIMIT = 60
_SCOPE = re.compile(r"(?:<?\w+>?\.<locals>\.)+")  # where a function is defined: AutoGraph's factories


def elements(dataset: Any, limit: int = _LIMIT) -> list[Any]:
    """The first elements of a dataset as tensors."""
    return list(itertools.islice(dataset, limit))


def plain(value: Any) -> Any:
    """Replaces tensors in tuples and dicts by Python values: for orders and contents, where dtypes are known."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else type(value)(map(plain, value))
    found = value.numpy() if hasattr(value, "numpy") else value
    return found.tolist() if hasattr(found, "tolist") else found


def order(dataset: Any, limit: int = _LIMIT) -> list[Any]:
    """The first elements of a dataset as Python values."""
    return [plain(element) for element in itertools.islice(dataset, limit)]


def numbers(tf: Any, count: int = 5) -> Any:
    """The dataset 0, 1, ... as int64."""
    return tf.data.Dataset.range(count)


def rows(tf: Any, count: int = 5) -> Any:
    """The dataset [], [1], [2, 2], ...: elements of different lengths."""
    return tf.data.Dataset.range(count).map(lambda x: tf.fill([x], x))


def about(dataset: Any) -> list[Any]:
    """Class, text, cardinality and element_spec of a dataset."""
    return [type(dataset).__name__, repr(dataset), int(dataset.cardinality()), dataset.element_spec]


def outcome(call: Callable[[], Any], words: int = 9, hide: str = "") -> Any:
    """What a call returns; of an exception, its class and the first words of its own message, without the text `hide`.

    A message's own words come after the headings that tell where an error arose: TensorFlow's "in user code" with the
    frames of the user, and "Graph execution error".
    """
    try:
        return call()
    except Exception as error:
        name = type(error).__name__
        message = str(getattr(error, "message", None) or error).replace(hide or "\0", "FOLDER")
        text = normalise(message).removeprefix("Graph execution error: ")
        if text.startswith("in user code:"):
            text = text.rstrip().split("\n\n    ")[-1].removeprefix(f"{name}: ")
        text = _SCOPE.sub("", text.split(" [Op:")[0])
        return [name, " ".join(text.split()[:words])]


def each(iterator: Any, count: int, words: int = 9) -> list[Any]:
    """What `count` calls of `next` return or raise."""
    return [outcome(lambda: plain(next(iterator)), words) for _ in range(count)]


def cases(**calls: Callable[..., Any]) -> dict[str, Any]:
    """Makes a program of each function of `tf`, or of `tf` and `np`, for a module's globals."""
    return {f"prog_{name}": _program(call) for name, call in calls.items()}


def errors(words: int = 9, **calls: Callable[..., Any]) -> dict[str, Any]:
    """Makes a program of each function: of the exception it raises, the class and the first words are the answer."""

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        program = _program(call)
        return lambda tf, np: outcome(lambda: program(tf, np), words)

    return cases(**{name: watched(call) for name, call in calls.items()})


def _program(call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    kinds = [parameter.kind for parameter in inspect.signature(call).parameters.values()]
    takes_numpy = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) == 2

    def program(tf: Any, np: Any) -> Any:
        return call(tf, np) if takes_numpy else call(tf)

    return program
