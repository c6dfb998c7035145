"""Functions of the root of `tf.compat.v1` and of small namespaces, whose arguments alone differ from those of today.

Tests: tests/oracle/programs/graph_derivatives.py
"""

from __future__ import annotations

from millrace._src.autodiff import gradients as derivatives
from millrace._src.autodiff import hessians as second_derivatives
from millrace._src.autodiff.backprop import UnconnectedGradients
from millrace._src.autograph import api as autograph
from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.util.export import export_constant

gradients = v1_wrapper(
    "gradients",
    derivatives.gradients,
    "ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False, gate_gradients=False, "
    "aggregation_method=None, stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE",
    """
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder("float32", [2])
    ...     tf.compat.v1.gradients(x * x, x, colocate_gradients_with_ops=True)[0].shape
    TensorShape([2])
    """,
    ignored=["colocate_gradients_with_ops"],
    names={"UnconnectedGradients": UnconnectedGradients},
)
export_constant(__name__, "gradients", v1=["gradients"])

hessians = v1_wrapper(
    "hessians",
    second_derivatives.hessians,
    "ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None",
    """
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder("float32", [2])
    ...     tf.compat.v1.hessians(tf.reduce_sum(x * x), x)[0].shape
    TensorShape([2, 2])
    """,
    ignored=["colocate_gradients_with_ops"],
)
export_constant(__name__, "hessians", v1=["hessians"])

to_graph = v1_wrapper(
    "autograph.to_graph",
    autograph.to_graph,
    "entity, recursive=True, arg_values=None, arg_types=None, experimental_optional_features=None",
    """
    >>> def f(x):
    ...     return -x if x < 0 else x
    >>> tf.function(tf.compat.v1.autograph.to_graph(f), autograph=False)(tf.constant(-3)).numpy()
    np.int32(3)
    """,
    ignored=["arg_values", "arg_types"],
)
export_constant(__name__, "to_graph", v1=["autograph.to_graph"])

to_code = v1_wrapper(
    "autograph.to_code",
    autograph.to_code,
    "entity, recursive=True, arg_values=None, arg_types=None, indentation='  ', experimental_optional_features=None",
    """
    >>> def f(x):
    ...     return not x
    >>> tf.compat.v1.autograph.to_code(f).splitlines()[0]
    'def tf__f(x):'
    """,
    ignored=["arg_values", "arg_types", "indentation"],
)
export_constant(__name__, "to_code", v1=["autograph.to_code"])
