"""The modules in which TensorFlow has its classes, and when a class says so.

Problem: under the name `tensorflow` libraries tell tensors and datasets by `type(x).__module__`, which must then name
TensorFlow's module: Keras looks for "tensorflow.python." there. In a program that says `import millrace` the same
string would name a module that cannot be imported, and `pickle` imports it.

Idea: a class states TensorFlow's module where the class is defined. The class takes the module as `__module__` only
once `import tensorflow` gives Millrace, also where the class is defined later; under that name the module is served.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

C = TypeVar("C", bound=type)

_ROOT = "tensorflow."
_homes: dict[type, str] = {}
_are_shown = False


def tensorflow_home(module: str) -> Callable[[C], C]:
    """States the module below `tensorflow` in which TensorFlow defines a class.

    Args:
        module: The module: `"python.framework.tensor"`.

    Returns:
        A decorator of the class.
    """

    def note(cls: C) -> C:
        _homes[cls] = _ROOT + module
        if _are_shown:
            cls.__module__ = _homes[cls]
        return cls

    return note


def show_homes() -> None:
    """Makes all classes with a stated module show that module as `__module__`, those still to be defined too."""
    global _are_shown
    _are_shown = True
    for cls, module in _homes.items():
        cls.__module__ = module


def stated_homes() -> dict[type, str]:
    """Returns TensorFlow's module of each class that states one, among the classes defined so far."""
    return dict(_homes)
