"""Switches between the behaviours of TensorFlow 1 and 2: eager execution, resource variables, control flow.

Old programs turn TensorFlow 2's behaviours off, all together or one by one. Two of the switches change nothing here:
variables of graphs are always resource variables, and branches and loops are always operations that hold functions. The
values of programs do not depend on either; what is asked for is remembered, so that a program that asks is answered.
"""

from __future__ import annotations

from collections.abc import Callable

from millrace._src.compat_v1.object_switches import (
    disable_tensor_equality,
    disable_v2_tensorshape,
    enable_tensor_equality,
    enable_v2_tensorshape,
)
from millrace._src.core import context
from millrace._src.core.runtime_options import set_tensorflow_2_behavior
from millrace._src.graph.scopes import enter_eager_mode, leave_eager_mode
from millrace._src.util.export import export


class _Switches:
    """What programs asked for, of the behaviours that do not depend on the version."""

    resource_variables = True
    control_flow_v2 = True


def _switch(behaviour: str, is_on: bool, documentation: str) -> Callable[[], None]:
    """Returns a function that remembers that a program turned a behaviour on or off."""

    def remember() -> None:
        setattr(_Switches, behaviour, is_on)

    remember.__doc__ = documentation
    return remember


enable_resource_variables = export(v1=["enable_resource_variables"])(
    _switch("resource_variables", True, "Asks for resource variables, which variables of graphs always are.")
)
disable_resource_variables = export(v1=["disable_resource_variables"])(
    _switch(
        "resource_variables",
        False,
        "Asks for reference variables: `tf.compat.v1.Variable`s with the same values as resource variables.",
    )
)
enable_control_flow_v2 = export(v1=["enable_control_flow_v2"])(
    _switch(
        "control_flow_v2", True, "Asks for branches and loops as operations that hold functions, which they always are."
    )
)
disable_control_flow_v2 = export(v1=["disable_control_flow_v2"])(
    _switch(
        "control_flow_v2",
        False,
        "Asks for branches and loops of `Switch` and `Merge`: remembered; they compute the same in the form they have.",
    )
)


@export(v1=["disable_eager_execution"])
def disable_eager_execution() -> None:
    """Lets ops at top level go into the default graph, which sessions run; to be called first in a program.

    Within `with graph.as_default():` ops go into that graph with and without eager execution.
    """
    leave_eager_mode()


@export(v1=["enable_eager_execution"])
def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """Lets ops at top level run at once, as they do unless `disable_eager_execution` was called.

    Args:
      config: accepted for compatibility: a `ConfigProto` for the eager runtime.
      device_policy: accepted for compatibility: copies between devices are always made.
      execution_mode: accepted for compatibility: ops run synchronously.

    Raises: ValueError: if the default graph was used meanwhile.
    """
    del config, device_policy, execution_mode
    enter_eager_mode()


@export(v1=["executing_eagerly_outside_functions"])
def executing_eagerly_outside_functions() -> bool:
    """Returns whether ops run at once outside of the functions that are being traced.

    >>> tf.compat.v1.executing_eagerly_outside_functions()
    True
    """
    return context.outermost_context() is None


@export(v1=["resource_variables_enabled"])
def resource_variables_enabled() -> bool:
    """Returns whether resource variables are asked for.

    >>> tf.compat.v1.resource_variables_enabled()
    True
    """
    return _Switches.resource_variables


@export(v1=["control_flow_v2_enabled"])
def control_flow_v2_enabled() -> bool:
    """Returns whether branches and loops as operations that hold functions are asked for; in a function they always
    are.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    graph = context.current_graph()
    return _Switches.control_flow_v2 or (graph is not None and graph.building_function)


@export(v1=["disable_v2_behavior"])
def disable_v2_behavior() -> None:
    """Turns the behaviours of TensorFlow 2 off that programs of TensorFlow 1 do not know; to be called first.

    Ops at top level go into the default graph, tensors are equal only to themselves, and dimensions are objects.
    Threads that build a new graph share its scopes until `tf.Graph.switch_to_thread_local`.
    """
    disable_eager_execution()
    disable_resource_variables()
    disable_control_flow_v2()
    disable_tensor_equality()
    disable_v2_tensorshape()
    set_tensorflow_2_behavior(False)


@export(v1=["enable_v2_behavior"])
def enable_v2_behavior() -> None:
    """Turns the behaviours of TensorFlow 2 on again.

    Raises: ValueError: if the default graph was used meanwhile.
    """
    enable_eager_execution()
    enable_resource_variables()
    enable_control_flow_v2()
    enable_tensor_equality()
    enable_v2_tensorshape()
    set_tensorflow_2_behavior(True)


@export(v1=["experimental.output_all_intermediates"])
def output_all_intermediates(state: bool | None) -> None:
    """Accepts whether branches and loops give out what their gradients need: they do so where gradients are asked for.

    Args: state: True, False, or None for TensorFlow's choice.
    """
    del state
