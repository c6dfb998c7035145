"""The formulas of optimizers: from a gradient, a variable and its slots to their new values.

Each rule is a pure function of arrays. The ops that update whole variables and those that update rows share the rules.
A rule takes `xp`, the gradient, the variable, the slots in the op's order, then the op's scalars in order; it returns
the new variable and the new slots.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp


def gradient_descent(xp: Xp, grad: Array, var: Array, alpha: Array) -> tuple[Array, ...]:
    """Moves the variable against the gradient."""
    return (var - alpha * grad,)


def _proximal(xp: Xp, moved: Array, rate: Array, l1: Array, l2: Array) -> Array:
    """Makes a moved variable smaller as L1 and L2 regularization at a learning rate ask."""
    shrunk = xp.sign(moved) * xp.maximum(xp.abs(moved) - rate * xp.maximum(l1, xp.zeros_like(l1)), xp.zeros_like(moved))
    return shrunk / (1 + rate * l2)


def proximal_gradient_descent(xp: Xp, grad: Array, var: Array, alpha: Array, l1: Array, l2: Array) -> tuple[Array, ...]:
    """Moves the variable against the gradient, and shrinks it."""
    return (_proximal(xp, var - alpha * grad, alpha, l1, l2),)


def adadelta(
    xp: Xp, grad: Array, var: Array, accum: Array, accum_update: Array, lr: Array, rho: Array, epsilon: Array
) -> tuple[Array, ...]:
    """Takes a step of Adadelta (Zeiler, 2012)."""
    accum = rho * accum + (1 - rho) * grad * grad
    update = xp.sqrt(accum_update + epsilon) / xp.sqrt(accum + epsilon) * grad
    return var - lr * update, accum, rho * accum_update + (1 - rho) * update * update


def adagrad(xp: Xp, grad: Array, var: Array, accum: Array, lr: Array, update_slots: bool) -> tuple[Array, ...]:
    """Takes a step of AdaGrad (Duchi et al., 2011)."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / xp.sqrt(accum), accum


def adagrad_v2(
    xp: Xp, grad: Array, var: Array, accum: Array, lr: Array, epsilon: Array, update_slots: bool
) -> tuple[Array, ...]:
    """Takes a step of AdaGrad that never divides by less than `epsilon`."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (xp.sqrt(accum) + epsilon), accum


def proximal_adagrad(
    xp: Xp, grad: Array, var: Array, accum: Array, lr: Array, l1: Array, l2: Array
) -> tuple[Array, ...]:
    """Takes a step of AdaGrad, and shrinks."""
    accum = accum + grad * grad
    rate = lr / xp.sqrt(accum)
    return _proximal(xp, var - rate * grad, rate, l1, l2), accum


def adagrad_da(
    xp: Xp,
    grad: Array,
    var: Array,
    total: Array,
    squares: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
) -> tuple[Array, ...]:
    """Takes a step of AdaGrad by dual averaging: the variable follows from the sums of the gradients."""
    total, squares = total + grad, squares + grad * grad
    step = xp.astype(global_step, var.dtype)
    shrunk = xp.sign(total) * xp.maximum(xp.abs(total) - l1 * step, xp.zeros_like(total))
    return -lr * shrunk / (l2 * step * lr + xp.sqrt(squares)), total, squares


def adam(
    xp: Xp,
    grad: Array,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    use_nesterov: bool,
) -> tuple[Array, ...]:
    """Takes a step of Adam (Kingma and Ba, 2014)."""
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m, v = m + (grad - m) * (1 - beta1), v + (grad * grad - v) * (1 - beta2)
    ahead = grad * (1 - beta1) + beta1 * m if use_nesterov else m
    return var - rate * ahead / (xp.sqrt(v) + epsilon), m, v


def adam_with_amsgrad(
    xp: Xp,
    grad: Array,
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
) -> tuple[Array, ...]:
    """Takes a step of Adam that divides by the largest second moment so far (Reddi et al., 2018)."""
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m, v = m + (grad - m) * (1 - beta1), v + (grad * grad - v) * (1 - beta2)
    vhat = xp.maximum(vhat, v)
    return var - rate * m / (xp.sqrt(vhat) + epsilon), m, v, vhat


def ada_max(
    xp: Xp,
    grad: Array,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
) -> tuple[Array, ...]:
    """Takes a step of AdaMax, Adam by the infinity norm."""
    m = m + (grad - m) * (1 - beta1)
    v = xp.maximum(beta2 * v, xp.abs(grad))
    return var - lr / (1 - beta1_power) * (m / (v + epsilon)), m, v


def rms_prop(
    xp: Xp,
    grad: Array,
    var: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
) -> tuple[Array, ...]:
    """Takes a step of RMSProp."""
    ms = ms + (grad * grad - ms) * (1 - rho)
    mom = mom * momentum + lr * grad / xp.sqrt(ms + epsilon)
    return var - mom, ms, mom


def centered_rms_prop(
    xp: Xp,
    grad: Array,
    var: Array,
    mg: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
) -> tuple[Array, ...]:
    """Takes a step of RMSProp that divides by the deviation rather than the second moment."""
    ms = ms + (grad * grad - ms) * (1 - rho)
    mg = mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + lr * grad / xp.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def ftrl(
    xp: Xp,
    grad: Array,
    var: Array,
    accum: Array,
    linear: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    l2_shrinkage: Any,
    lr_power: Array,
    multiply_linear_by_lr: bool,
) -> tuple[Array, ...]:
    """Takes a step of FTRL (McMahan et al., 2013); the linear part may be kept multiplied by the learning rate."""
    new_accum = accum + grad * grad
    old_power, new_power = xp.power(accum, -lr_power), xp.power(new_accum, -lr_power)
    shrinking = grad if l2_shrinkage is None else grad + 2 * l2_shrinkage * var
    scale: Any = lr if multiply_linear_by_lr else 1
    linear = linear + scale * shrinking - (new_power - old_power) / lr * scale * var
    quadratic = (new_power / lr + 2 * l2) * scale
    bound = l1 * scale
    kept = (xp.clip(linear, -bound, bound) - linear) / quadratic
    return kept, new_accum, linear


def momentum(
    xp: Xp, grad: Array, var: Array, accum: Array, lr: Array, momentum: Array, use_nesterov: bool
) -> tuple[Array, ...]:
    """Takes a step with momentum."""
    accum = accum * momentum + grad
    return var - lr * (grad + accum * momentum if use_nesterov else accum), accum


def keras_momentum(
    xp: Xp, grad: Array, var: Array, accum: Array, lr: Array, momentum: Array, use_nesterov: bool
) -> tuple[Array, ...]:
    """Takes a step with momentum that holds the learning rate, as Keras has it."""
    accum = accum * momentum - lr * grad
    return var + (accum * momentum - lr * grad if use_nesterov else accum), accum


def add_sign(
    xp: Xp, grad: Array, var: Array, m: Array, lr: Array, alpha: Array, sign_decay: Array, beta: Array
) -> tuple[Array, ...]:
    """Takes a longer step where gradient and momentum agree in sign (Bello et al., 2017)."""
    m = beta * m + (1 - beta) * grad
    return var - lr * (alpha + sign_decay * xp.sign(grad) * xp.sign(m)) * grad, m


def power_sign(
    xp: Xp, grad: Array, var: Array, m: Array, lr: Array, logbase: Array, sign_decay: Array, beta: Array
) -> tuple[Array, ...]:
    """Takes a step that is scaled by a power where gradient and momentum agree in sign (Bello et al., 2017)."""
    m = beta * m + (1 - beta) * grad
    return var - lr * xp.exp(logbase * sign_decay * xp.sign(grad) * xp.sign(m)) * grad, m
