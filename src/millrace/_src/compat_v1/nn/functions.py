"""Functions of `tf.compat.v1.nn` with other arguments: softmax by `dim`, losses by `targets`, `crelu` by its name.

Tests: tests/oracle/programs/v1_nn.py
"""

from __future__ import annotations

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.ops.nn import activations, cross_entropy, losses, softmax
from millrace._src.util.export import export, export_constant

softmax_v1 = v1_wrapper(
    "nn.softmax",
    softmax.softmax,
    "logits, axis=None, name=None, dim=None",
    """
    >>> tf.compat.v1.nn.softmax(tf.constant([[1.], [1.]]), dim=0).numpy().ravel()
    array([0.5, 0.5], dtype=float32)
    """,
    renamed={"dim": "axis"},
)
export_constant(__name__, "softmax_v1", v1=["nn.softmax", "math.softmax"])

log_softmax_v1 = v1_wrapper(
    "nn.log_softmax",
    softmax.log_softmax,
    "logits, axis=None, name=None, dim=None",
    """
    >>> tf.compat.v1.nn.log_softmax(tf.constant([[1.], [1.]]), dim=0).numpy().ravel()
    array([-0.6931472, -0.6931472], dtype=float32)
    """,
    renamed={"dim": "axis"},
)
export_constant(__name__, "log_softmax_v1", v1=["nn.log_softmax", "math.log_softmax"])

weighted_cross_entropy_with_logits = v1_wrapper(
    "nn.weighted_cross_entropy_with_logits",
    losses.weighted_cross_entropy_with_logits,
    "labels=None, logits=None, pos_weight=None, name=None, targets=None",
    """
    >>> tf.compat.v1.nn.weighted_cross_entropy_with_logits(targets=[1.], logits=[0.], pos_weight=2.).numpy()
    array([1.3862944], dtype=float32)
    """,
    renamed={"targets": "labels"},
)
export_constant(__name__, "weighted_cross_entropy_with_logits", v1=["nn.weighted_cross_entropy_with_logits"])

sparse_softmax_cross_entropy_with_logits = v1_wrapper(
    "nn.sparse_softmax_cross_entropy_with_logits",
    cross_entropy.sparse_softmax_cross_entropy_with_logits,
    "labels=None, logits=None, name=None",
    """
    >>> tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[1., 1.]]).numpy()
    array([0.6931472], dtype=float32)
    """,
)
export_constant(
    __name__, "sparse_softmax_cross_entropy_with_logits", v1=["nn.sparse_softmax_cross_entropy_with_logits"]
)

crelu = v1_wrapper(
    "nn.crelu",
    activations.crelu,
    "features, name=None, axis=-1",
    """
    >>> tf.compat.v1.nn.crelu([-1., 2.], "parts").numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """,
)
export_constant(__name__, "crelu", v1=["nn.crelu"])


softmax_cross_entropy_with_logits_v2 = export(v1=["nn.softmax_cross_entropy_with_logits_v2"])(
    v1_wrapper(
        "nn.softmax_cross_entropy_with_logits_v2",
        cross_entropy.softmax_cross_entropy_with_logits,
        "labels, logits, axis=None, name=None, dim=None",
        """
    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2(labels=[[0., 1.]], logits=[[1., 1.]], dim=1).numpy()
    array([0.6931472], dtype=float32)
    """,
        renamed={"dim": "axis"},
    )
)
