"""`tf.config.optimizer`: which passes run, under the names that TensorFlow's optimizer has for them.

An option that is not set leaves its pass on. A setting holds for functions that are compiled afterwards. Options of
TensorFlow's optimizer without a pass here (mixed precision, layouts) are remembered and returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from millrace._src.util.export import export

_NAMES = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "disable_model_pruning",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "use_plugin_optimizers",
    "disable_meta_optimizer",
    "auto_mixed_precision_mkl",
    "min_graph_nodes",
)
"""The options that `get_experimental_options` returns, in this order."""
_ALWAYS_TOLD = ("disable_model_pruning", "disable_meta_optimizer")


class _Settings:
    """The options that programs have set."""

    options: dict[str, Any] = {}
    jit: bool | None = None


def are_set() -> bool:
    """Returns whether any option is set."""
    return bool(_Settings.options)


def is_on(option: str) -> bool:
    """Returns whether the passes of an option run: they run unless the option is set to False."""
    value = _Settings.options.get(option)
    return value is None or bool(value)


def is_disabled(option: str) -> bool:
    """Returns whether an option that disables passes is set."""
    return bool(_Settings.options.get(option))


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
    """Turns passes of the graph optimizer on and off.

    The options hold for functions that are compiled afterwards; results do not depend on the options.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": False})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    False
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": None})

    Args:
      options: from names to booleans, None for the default. "shape_optimization", "constant_folding",
        "arithmetic_optimization", "common_subgraph_elimination", "loop_optimization", "remapping" (sums of arrays that
        are mostly zeros), "dependency_optimization" (what nothing needs) and "function_optimization" (called functions
        become part of their callers) turn one pass off if False; "disable_model_pruning" turns off the removal of what
        nothing needs, "disable_meta_optimizer" everything, if True.
    """
    _Settings.options = {**_Settings.options, **dict(options)}


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """Returns the options of the graph optimizer that are set.

    >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
    False

    Returns: A dict from the name of an option to its value.
    """
    given_options = _Settings.options
    visible_options = {
        name: given_options.get(name) for name in _NAMES if given_options.get(name) is not None or name in _ALWAYS_TOLD
    }
    return {name: value if name == "min_graph_nodes" else bool(value) for name, value in visible_options.items()}


@export("config.optimizer.set_jit")
def set_jit(enabled: bool | str) -> None:
    """Says where functions run that do not say `jit_compile=` themselves.

    The setting holds for functions that are first called afterwards. By default the time that calls take decides: see
    `tf.types.experimental.ConcreteFunction.tier`.

    >>> tf.config.optimizer.set_jit(False)

    Args:
      enabled: True or "autoclustering": functions run compiled, from their first call on, where no check and no
        effect is lost by it. False: functions run uncompiled. Anything else: the default.
    """
    chosen = True if enabled in (True, "autoclustering") else None
    _Settings.jit = False if enabled is False else chosen


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns the setting of `set_jit`: "autoclustering" where functions run compiled, or else "".

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return "autoclustering" if _Settings.jit else ""


def jit_pin() -> bool | None:
    """Returns whether the program asked for compiled functions; None where the program left that open."""
    return _Settings.jit
