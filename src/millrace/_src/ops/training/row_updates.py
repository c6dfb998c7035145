"""Steps of optimizers that update rows of variables: `ResourceSparseApply*`.

The gradient has some rows, `indices` says which. Each op names its rule; `updating` applies the rule to the rows.
"""

from __future__ import annotations

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.training import update_rules as rules
from millrace._src.ops.training.updating import ROWS_FACTS, shape_of_rows_update, update_rows


@op(
    "ResourceSparseApplyAdadelta",
    "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_adadelta(
    xp: Xp,
    var: Array,
    accum: Array,
    accum_update: Array,
    lr: Array,
    rho: Array,
    epsilon: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates rows of a variable and its slots by Adadelta."""
    update_rows(xp, rules.adadelta, (var, accum, accum_update), grad, indices, (lr, rho, epsilon))


@op(
    "ResourceSparseApplyAdagrad",
    "var: resource, accum: resource, lr: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_adagrad(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
    update_slots: bool = True,
) -> None:
    """Updates rows of a variable and its slots by AdaGrad."""
    update_rows(xp, rules.adagrad, (var, accum), grad, indices, (lr, update_slots))


@op(
    "ResourceSparseApplyAdagradDA",
    "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, "
    "indices: Tindices, lr: T, l1: T, l2: T, global_step: int64 ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_adagrad_da(
    xp: Xp,
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    indices: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates rows of a variable and its slots by AdaGrad by dual averaging."""
    update_rows(
        xp,
        rules.adagrad_da,
        (var, gradient_accumulator, gradient_squared_accumulator),
        grad,
        indices,
        (lr, l1, l2, global_step),
    )


@op(
    "ResourceSparseApplyAdagradV2",
    "var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_adagrad_v2(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    epsilon: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
    update_slots: bool = True,
) -> None:
    """Updates rows of a variable and its slots by AdaGrad with an epsilon."""
    update_rows(xp, rules.adagrad_v2, (var, accum), grad, indices, (lr, epsilon, update_slots))


@op(
    "ResourceSparseApplyCenteredRMSProp",
    "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, "
    "grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_centered_rms_prop(
    xp: Xp,
    var: Array,
    mg: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates rows of a variable and its slots by centered RMSProp."""
    update_rows(xp, rules.centered_rms_prop, (var, mg, ms, mom), grad, indices, (lr, rho, momentum, epsilon))


@op(
    "ResourceSparseApplyFtrl",
    "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, lr_power: T ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_ftrl(
    xp: Xp,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    indices: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    *,
    use_locking: bool = False,
    multiply_linear_by_lr: bool = False,
) -> None:
    """Updates rows of a variable and its slots by FTRL."""
    update_rows(
        xp, rules.ftrl, (var, accum, linear), grad, indices, (lr, l1, l2, None, lr_power, multiply_linear_by_lr)
    )


@op(
    "ResourceSparseApplyFtrlV2",
    "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, "
    "l2_shrinkage: T, lr_power: T ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_ftrl_v2(
    xp: Xp,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    indices: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    l2_shrinkage: Array,
    lr_power: Array,
    *,
    use_locking: bool = False,
    multiply_linear_by_lr: bool = False,
) -> None:
    """Updates rows of a variable and its slots by FTRL with shrinkage."""
    update_rows(
        xp, rules.ftrl, (var, accum, linear), grad, indices, (lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr)
    )


@op(
    "ResourceSparseApplyKerasMomentum",
    "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_keras_momentum(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    indices: Array,
    momentum: Array,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> None:
    """Updates rows of a variable and its slots by Keras's momentum."""
    update_rows(xp, rules.keras_momentum, (var, accum), grad, indices, (lr, momentum, use_nesterov))


@op(
    "ResourceSparseApplyMomentum",
    "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_momentum(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    indices: Array,
    momentum: Array,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> None:
    """Updates rows of a variable and its slots by momentum."""
    update_rows(xp, rules.momentum, (var, accum), grad, indices, (lr, momentum, use_nesterov))


@op(
    "ResourceSparseApplyProximalAdagrad",
    "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_proximal_adagrad(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates rows of a variable and its slots by proximal AdaGrad."""
    update_rows(xp, rules.proximal_adagrad, (var, accum), grad, indices, (lr, l1, l2))


@op(
    "ResourceSparseApplyProximalGradientDescent",
    "var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_proximal_gradient_descent(
    xp: Xp, var: Array, alpha: Array, l1: Array, l2: Array, grad: Array, indices: Array, *, use_locking: bool = False
) -> None:
    """Updates rows of a variable by proximal gradient descent."""
    update_rows(xp, rules.proximal_gradient_descent, (var,), grad, indices, (alpha, l1, l2))


@op(
    "ResourceSparseApplyRMSProp",
    "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices ->",
    shape=shape_of_rows_update,
    **ROWS_FACTS,
)
def resource_sparse_apply_rms_prop(
    xp: Xp,
    var: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
    indices: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates rows of a variable and its slots by RMSProp."""
    update_rows(xp, rules.rms_prop, (var, ms, mom), grad, indices, (lr, rho, momentum, epsilon))
