"""Steps of optimizers that update whole variables: `ResourceApply*`.

Each op names its rule; `updating` reads the variables, applies the rule and assigns the results.
"""

from __future__ import annotations

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.training import update_rules as rules
from millrace._src.ops.training.updating import FACTS, shape_of_update, update


@op(
    "ResourceApplyAdaMax",
    "var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_ada_max(
    xp: Xp,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by AdaMax."""
    update(xp, rules.ada_max, (var, m, v), grad, (beta1_power, lr, beta1, beta2, epsilon))


@op(
    "ResourceApplyAdadelta",
    "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_adadelta(
    xp: Xp,
    var: Array,
    accum: Array,
    accum_update: Array,
    lr: Array,
    rho: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by Adadelta."""
    update(xp, rules.adadelta, (var, accum, accum_update), grad, (lr, rho, epsilon))


@op("ResourceApplyAdagrad", "var: resource, accum: resource, lr: T, grad: T ->", shape=shape_of_update, **FACTS)
def resource_apply_adagrad(
    xp: Xp, var: Array, accum: Array, lr: Array, grad: Array, *, use_locking: bool = False, update_slots: bool = True
) -> None:
    """Updates a variable and its slots by AdaGrad."""
    update(xp, rules.adagrad, (var, accum), grad, (lr, update_slots))


@op(
    "ResourceApplyAdagradDA",
    "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, "
    "lr: T, l1: T, l2: T, global_step: int64 ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_adagrad_da(
    xp: Xp,
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by AdaGrad by dual averaging."""
    update(
        xp, rules.adagrad_da, (var, gradient_accumulator, gradient_squared_accumulator), grad, (lr, l1, l2, global_step)
    )


@op(
    "ResourceApplyAdagradV2",
    "var: resource, accum: resource, lr: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_adagrad_v2(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
    update_slots: bool = True,
) -> None:
    """Updates a variable and its slots by AdaGrad with an epsilon."""
    update(xp, rules.adagrad_v2, (var, accum), grad, (lr, epsilon, update_slots))


@op(
    "ResourceApplyAdam",
    "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, "
    "beta2: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_adam(
    xp: Xp,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> None:
    """Updates a variable and its slots by Adam."""
    update(xp, rules.adam, (var, m, v), grad, (beta1_power, beta2_power, lr, beta1, beta2, epsilon, use_nesterov))


@op(
    "ResourceApplyAdamWithAmsgrad",
    "var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, lr: T, "
    "beta1: T, beta2: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_adam_with_amsgrad(
    xp: Xp,
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by Adam with AMSGrad."""
    update(xp, rules.adam_with_amsgrad, (var, m, v, vhat), grad, (beta1_power, beta2_power, lr, beta1, beta2, epsilon))


@op(
    "ResourceApplyAddSign",
    "var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_add_sign(
    xp: Xp,
    var: Array,
    m: Array,
    lr: Array,
    alpha: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by AddSign."""
    update(xp, rules.add_sign, (var, m), grad, (lr, alpha, sign_decay, beta))


@op(
    "ResourceApplyCenteredRMSProp",
    "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_centered_rms_prop(
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
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by centered RMSProp."""
    update(xp, rules.centered_rms_prop, (var, mg, ms, mom), grad, (lr, rho, momentum, epsilon))


@op(
    "ResourceApplyFtrl",
    "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_ftrl(
    xp: Xp,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    *,
    use_locking: bool = False,
    multiply_linear_by_lr: bool = False,
) -> None:
    """Updates a variable and its slots by FTRL."""
    update(xp, rules.ftrl, (var, accum, linear), grad, (lr, l1, l2, None, lr_power, multiply_linear_by_lr))


@op(
    "ResourceApplyFtrlV2",
    "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_ftrl_v2(
    xp: Xp,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    l2_shrinkage: Array,
    lr_power: Array,
    *,
    use_locking: bool = False,
    multiply_linear_by_lr: bool = False,
) -> None:
    """Updates a variable and its slots by FTRL with shrinkage."""
    update(xp, rules.ftrl, (var, accum, linear), grad, (lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr))


@op("ResourceApplyGradientDescent", "var: resource, alpha: T, delta: T ->", shape=shape_of_update, **FACTS)
def resource_apply_gradient_descent(
    xp: Xp, var: Array, alpha: Array, delta: Array, *, use_locking: bool = False
) -> None:
    """Updates a variable by gradient descent."""
    update(xp, rules.gradient_descent, (var,), delta, (alpha,))


@op(
    "ResourceApplyKerasMomentum",
    "var: resource, accum: resource, lr: T, grad: T, momentum: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_keras_momentum(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    momentum: Array,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> None:
    """Updates a variable and its slots by Keras's momentum."""
    update(xp, rules.keras_momentum, (var, accum), grad, (lr, momentum, use_nesterov))


@op(
    "ResourceApplyMomentum",
    "var: resource, accum: resource, lr: T, grad: T, momentum: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_momentum(
    xp: Xp,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    momentum: Array,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> None:
    """Updates a variable and its slots by momentum."""
    update(xp, rules.momentum, (var, accum), grad, (lr, momentum, use_nesterov))


@op(
    "ResourceApplyPowerSign",
    "var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_power_sign(
    xp: Xp,
    var: Array,
    m: Array,
    lr: Array,
    logbase: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by PowerSign."""
    update(xp, rules.power_sign, (var, m), grad, (lr, logbase, sign_decay, beta))


@op(
    "ResourceApplyProximalAdagrad",
    "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_proximal_adagrad(
    xp: Xp, var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array, *, use_locking: bool = False
) -> None:
    """Updates a variable and its slots by proximal AdaGrad."""
    update(xp, rules.proximal_adagrad, (var, accum), grad, (lr, l1, l2))


@op(
    "ResourceApplyProximalGradientDescent",
    "var: resource, alpha: T, l1: T, l2: T, delta: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_proximal_gradient_descent(
    xp: Xp, var: Array, alpha: Array, l1: Array, l2: Array, delta: Array, *, use_locking: bool = False
) -> None:
    """Updates a variable by proximal gradient descent."""
    update(xp, rules.proximal_gradient_descent, (var,), delta, (alpha, l1, l2))


@op(
    "ResourceApplyRMSProp",
    "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T ->",
    shape=shape_of_update,
    **FACTS,
)
def resource_apply_rms_prop(
    xp: Xp,
    var: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_locking: bool = False,
) -> None:
    """Updates a variable and its slots by RMSProp."""
    update(xp, rules.rms_prop, (var, ms, mom), grad, (lr, rho, momentum, epsilon))
