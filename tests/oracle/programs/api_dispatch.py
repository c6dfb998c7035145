"""Overriding public functions for a user's types: `tf.experimental.dispatch_for_*`, what they select and refuse.

Every program takes its handlers off again, so that one program does not change the next.
"""

# ruff: noqa: UP006, UP007, UP045 (annotations as users write them)
from __future__ import annotations

import typing

from tests.oracle.programs._composite_helpers import numbers, outcome, plain


def _masked(tf):
    return type("MaskedTensor", (tf.experimental.ExtensionType,), {"__annotations__": {"values": tf.Tensor, "mask": tf.Tensor}, "__module__": __name__})


def _with(tf, decorators, call):
    """Registers handlers, returns what `call` gives, and unregisters them."""
    try:
        for decorator, handler in decorators:
            decorator(handler)
        return call()
    finally:
        for _, handler in decorators:
            outcome(lambda: tf.experimental.unregister_dispatch_for(handler))


def _unary(tf, calls):
    """Runs calls on a masked tensor for which all unary functions are overridden."""
    kind = _masked(tf)

    def handler(api, x):
        return kind(api(x.values), x.mask)

    m = kind([0.5, 0.25], [True, False])
    return _with(tf, [(tf.experimental.dispatch_for_unary_elementwise_apis(kind), handler)], lambda: [outcome(lambda: _parts(kind, c(m))) for c in calls])


def _parts(kind, value):
    """The values and the mask of a masked tensor; any other value as it is."""
    return (value.values, value.mask) if isinstance(value, kind) else value


def _binary(tf, calls):
    """Runs calls on masked tensors for which all binary functions are overridden."""
    kind = _masked(tf)

    def handler(api, x, y):
        return kind(api(x.values, y.values), x.mask & y.mask)

    m = kind([4, 9], [True, False])
    return _with(tf, [(tf.experimental.dispatch_for_binary_elementwise_apis(kind, kind), handler)], lambda: [outcome(lambda: repr(c(m))) for c in calls])


def _binary_mixed(tf):
    kind = _masked(tf)

    def handler(api, x, y):
        left, right = (v.values if isinstance(v, kind) else v for v in (x, y))
        return kind(api(left, right), (x if isinstance(x, kind) else y).mask)

    m, any_type = kind([4, 9], [True, False]), typing.Union[kind, tf.types.experimental.TensorLike]
    decorator = tf.experimental.dispatch_for_binary_elementwise_apis(any_type, any_type)
    return _with(tf, [(decorator, handler)], lambda: [repr(v) for v in (tf.add(m, 1), tf.add(2, m), tf.multiply(m, [1, 2]), tf.add(1, 2), tf.maximum(m, m))])


def _assertions(tf):
    kind = _masked(tf)

    def handler(api, x, y):
        mask = tf.logical_and(x.mask, y.mask)
        api(tf.boolean_mask(x.values, mask), tf.boolean_mask(y.values, mask))

    a, b = kind([1, 2, 3], [True, True, False]), kind([1, 2, 9], [True, True, True])
    decorator = tf.experimental.dispatch_for_binary_elementwise_assert_apis(kind, kind)
    return _with(tf, [(decorator, handler)], lambda: [outcome(lambda: f(a, b)) for f in (tf.debugging.assert_equal, tf.debugging.assert_less_equal, tf.debugging.assert_greater, tf.debugging.assert_near)])


def _for_api(tf, api, signatures, handler, call, limit=10):
    """Overrides one function; `signatures` and `handler` are made of the type, `call` of an instance."""
    kind = _masked(tf)
    m = kind([1, 2], [True, False])
    decorator = tf.experimental.dispatch_for_api(api, *signatures(kind))
    return _with(tf, [(decorator, handler(kind))], lambda: outcome(lambda: call(m), limit))


def _double(kind):
    return lambda x, name=None: kind(x.values * 2, x.mask)


def _annotated(tf):
    kind = _masked(tf)

    def handler(x, name=None):
        return kind(-x.values, x.mask)

    handler.__annotations__ = {"x": kind}

    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs), handler)], lambda: repr(tf.abs(kind([1], [True]))))


def _both_sides(tf):
    kind = _masked(tf)

    def handler(x, y, name=None):
        values = [v.values if isinstance(v, kind) else v for v in (x, y)]
        return tf.add(*values) * 100

    m = kind([1], [True])
    decorator = tf.experimental.dispatch_for_api(tf.math.add, {"x": kind}, {"y": kind})
    return _with(tf, [(decorator, handler)], lambda: [tf.add(m, 1), tf.add(1, m), tf.add(m, m), tf.add(1, 1), tf.math.add(y=m, x=3)])


def _concat(tf):
    kind = _masked(tf)

    def handler(values, axis):
        return kind(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))

    m = kind([1, 2], [True, False])
    decorator = tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[kind]})
    return _with(tf, [(decorator, handler)], lambda: [outcome(lambda: repr(tf.concat(v, 0)), 6) for v in ([m, m], (m, m), [m], [m, 1])])


def _mixed_list(tf):
    kind = _masked(tf)

    def handler(values, axis=0, name="stack"):
        return len(values)

    m = kind([1, 2], [True, False])
    decorator = tf.experimental.dispatch_for_api(tf.stack, {"values": typing.List[typing.Union[kind, tf.Tensor]]})
    return _with(tf, [(decorator, handler)], lambda: [outcome(lambda: tf.stack(v), 5) for v in ([m, tf.constant(1)], [tf.constant(1), m], [m, 1])])


def _last_wins(tf):
    kind = _masked(tf)
    first, second = (lambda x, name=None: "first"), (lambda x, name=None: "second")
    decorators = [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), f) for f in (first, second)]
    return _with(tf, decorators, lambda: outcome(lambda: tf.abs(kind([1], [True])), 12))


def _declined(tf):
    kind = _masked(tf)
    handler = lambda x, name=None: NotImplemented
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), handler)], lambda: outcome(lambda: tf.abs(kind([1], [True])), 3))


def _unregistered(tf):
    kind = _masked(tf)
    handler = lambda x, name=None: "handled"
    tf.experimental.dispatch_for_api(tf.abs, {"x": kind})(handler)
    m = kind([1.0], [True])
    before = tf.abs(m)
    tf.experimental.unregister_dispatch_for(handler)
    return [before, outcome(lambda: tf.abs(m)), outcome(lambda: tf.experimental.unregister_dispatch_for(handler), 4)]


def _in_function(tf):
    kind = _masked(tf)
    handler = _double(kind)
    f = tf.function(lambda m: tf.abs(m).values)
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), handler)], lambda: f(kind([1, 2], [True, False])))


def _operator(tf):
    kind = _masked(tf)
    handler = lambda x, y, name=None: kind(x.values + tf.cast(y, x.values.dtype), x.mask)
    m = kind([1, 2], [True, False])
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.math.add, {"x": kind}), handler)], lambda: [outcome(lambda: repr(m + 1), 4), repr(tf.add(m, 1))])


def _tensor_operator(tf):
    kind = _masked(tf)
    handler = lambda x, y, name=None: kind(y.values + x, y.mask)
    m = kind([1, 2], [True, False])
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.math.add, {"x": tf.Tensor, "y": kind}), handler)], lambda: [repr(tf.constant(10) + m), repr(tf.add(tf.constant(5), m)), outcome(lambda: repr(tf.add(5, m)), 4)])


def _name_scope(tf):
    kind = _masked(tf)
    handler = lambda x: x.values * 2

    def call():
        with tf.Graph().as_default():
            return tf.abs(kind([1], [True]), name="mine").name.split("/")[0]

    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), handler)], call)


def _subclass(tf):
    kind = _masked(tf)
    child = type("Child", (kind,), {"__annotations__": {"note": str}, "__module__": __name__})
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), lambda x, name=None: type(x).__name__)], lambda: [tf.abs(kind([1], [True])), tf.abs(child([1], [True], "n"))])


def _ragged_overridden(tf):
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.nn.l2_normalize, {"x": tf.RaggedTensor}), lambda x, axis=None, epsilon=1e-12, name=None, dim=None: "mine")], lambda: outcome(lambda: tf.nn.l2_normalize(numbers(tf))))


def _optional(tf):
    kind = _masked(tf)
    handler = lambda params, indices, validate_indices=None, axis=None, batch_dims=0, name=None: "gathered"
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.gather, {"params": kind, "axis": typing.Optional[int]}), handler)], lambda: [outcome(lambda: tf.gather(kind([1], [True]), [0], axis=a), 3) for a in (None, 0, tf.constant(0))])


def _by_index(tf):
    kind = _masked(tf)
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {0: kind}), lambda x, name=None: "indexed")], lambda: tf.abs(kind([1], [True])))


def _keyword_call(tf):
    kind = _masked(tf)
    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), lambda x, name=None: ["called", name])], lambda: tf.abs(name="n", x=kind([1], [True])))


def _unary_and_api(tf):
    kind = _masked(tf)
    decorators = [(tf.experimental.dispatch_for_unary_elementwise_apis(kind), lambda api, x: "elementwise"), (tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), lambda x, name=None: "api")]
    m = kind([1], [True])
    return _with(tf, decorators, lambda: [outcome(lambda: tf.abs(m), 8), tf.sin(m)])


def _twice_unary(tf):
    kind = _masked(tf)
    first, second = (lambda api, x: "first"), (lambda api, x: "second")
    out = []
    try:
        for handler in (first, second):
            out.append(outcome(lambda: tf.experimental.dispatch_for_unary_elementwise_apis(kind)(handler) is handler, 12))
    finally:
        outcome(lambda: tf.experimental.unregister_dispatch_for(first))
        outcome(lambda: tf.experimental.unregister_dispatch_for(second))
    return out


def _error_in_handler(tf):
    kind = _masked(tf)

    def handler(x, name=None):
        raise KeyError("mine")

    return _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": kind}), handler)], lambda: outcome(lambda: tf.abs(kind([1], [True]))))


_UNARY = "abs acos asin atan ceil conj cos cosh digamma erf exp expm1 floor imag is_nan lgamma log log1p negative real reciprocal rint round rsqrt sigmoid sign sin softplus sqrt square tan tanh"

globals().update(
    plain(
        limit=10,
        unary=lambda tf: _unary(tf, [getattr(tf.math, name) for name in _UNARY.split()]),
        unary_with_arguments=lambda tf: _unary(tf, [lambda m: tf.cast(m, tf.int32), lambda m: tf.ones_like(m, dtype=tf.int32), lambda m: tf.zeros_like(m), lambda m: tf.clip_by_value(m, 0.3, 0.4), lambda m: tf.saturate_cast(m, tf.int8), lambda m: tf.strings.as_string(m, precision=1), lambda m: tf.nn.leaky_relu(m, 0.5), lambda m: tf.math.nextafter(m, 9.0)]),
        unary_of_nn=lambda tf: _unary(tf, [tf.nn.relu, tf.nn.elu, tf.nn.gelu, tf.nn.silu, tf.nn.selu, tf.nn.relu6, tf.nn.softsign]),
        unary_of_others=lambda tf: _unary(tf, [tf.identity, tf.reduce_sum, tf.nn.softmax, tf.size, tf.shape, tf.stop_gradient, lambda m: abs(m), lambda m: -m]),
        unary_of_keywords=lambda tf: _unary(tf, [lambda m: tf.abs(x=m), lambda m: tf.cast(x=m, dtype=tf.int32), lambda m: tf.abs(m, name="n"), lambda m: tf.sin(x=m, name="n")]),
        binary=lambda tf: _binary(tf, [lambda m, f=f: f(m, m) for f in (tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.equal, tf.not_equal, tf.greater, tf.less, tf.math.floordiv, tf.math.floormod, tf.math.squared_difference, tf.pow, tf.truediv, tf.math.divide_no_nan)]),
        binary_of_one=lambda tf: _binary(tf, [lambda m: tf.add(m, 1), lambda m: tf.add(1, m), lambda m: tf.abs(m)]),
        binary_of_keywords=lambda tf: _binary(tf, [lambda m: tf.add(x=m, y=m), lambda m: tf.add(y=m, x=m), lambda m: tf.add(m, y=m, name="n")]),
        binary_mixed=_binary_mixed,
        assertions=_assertions,
        one_api=lambda tf: _for_api(tf, tf.abs, lambda kind: [{"x": kind}], _double, lambda m: repr(tf.abs(m))),
        one_api_on_tensors=lambda tf: _for_api(tf, tf.abs, lambda kind: [{"x": kind}], _double, lambda m: tf.abs([-1, 2])),
        aliases_are_one=lambda tf: _for_api(tf, tf.abs, lambda kind: [{"x": kind}], _double, lambda m: [repr(tf.math.abs(m)), repr(tf.compat.v1.abs(m))]),
        annotated=_annotated,
        both_sides=_both_sides,
        concat=_concat,
        mixed_list=_mixed_list,
        two_handlers=_last_wins,
        declined=_declined,
        unregistered=_unregistered,
        in_function=_in_function,
        operator=_operator,
        tensor_operator=_tensor_operator,
        name_scope=_name_scope,
        subclass=_subclass,
        ragged_overridden=_ragged_overridden,
        optional=_optional,
        by_index=_by_index,
        keyword_call=_keyword_call,
        unary_and_api=_unary_and_api,
        twice_unary=_twice_unary,
        error_in_handler=_error_in_handler,
        without_dispatch=lambda tf: [outcome(lambda: tf.experimental.dispatch_for_api(f, {0: tf.RaggedTensor})(lambda *a: a), 12)[0] for f in (tf.constant, tf.Variable, tf.function, len)],
        unknown_parameter=lambda tf: tf.experimental.dispatch_for_api(tf.abs, {"y": tf.RaggedTensor})(lambda x, name=None: x),
        index_out_of_range=lambda tf: tf.experimental.dispatch_for_api(tf.abs, {9: tf.RaggedTensor})(lambda x, name=None: x),
        no_composite=lambda tf: _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {"x": tf.Tensor}), lambda x, name=None: "mine")], lambda: tf.abs(tf.constant(-1))),
        no_signature=lambda tf: tf.experimental.dispatch_for_api(tf.abs)(lambda x, name=None: x),
        empty_signature=lambda tf: _with(tf, [(tf.experimental.dispatch_for_api(tf.abs, {}), lambda x, name=None: "mine")], lambda: tf.abs(tf.constant(-1))),
        other_parameter_names=lambda tf: tf.experimental.dispatch_for_api(tf.abs, {"x": _masked(tf)})(lambda z, name=None: z),
        other_parameter_order=lambda tf: tf.experimental.dispatch_for_api(tf.add, {"x": _masked(tf)})(lambda y, x, name=None: x),
        missing_parameters=lambda tf: tf.experimental.dispatch_for_api(tf.add, {"x": _masked(tf)})(lambda x: x),
        bad_annotation=lambda tf: tf.experimental.dispatch_for_api(tf.abs, {"x": 5})(lambda x, name=None: x),
        signature_of_text=lambda tf: tf.experimental.dispatch_for_api(tf.abs, "x")(lambda x, name=None: x),
        unary_of_bad_type=lambda tf: tf.experimental.dispatch_for_unary_elementwise_apis(5)(lambda api, x: x),
        unary_of_bad_handler=lambda tf: callable(tf.experimental.dispatch_for_unary_elementwise_apis(_masked(tf))(lambda x: x)),
        binary_of_bad_handler=lambda tf: callable(tf.experimental.dispatch_for_binary_elementwise_apis(_masked(tf), _masked(tf))(lambda api, x: x)),
        unregister_unknown=lambda tf: tf.experimental.unregister_dispatch_for(len),
        handler_is_returned=lambda tf: (lambda f: _with(tf, [], lambda: [tf.experimental.dispatch_for_api(tf.abs, {"x": _masked(tf)})(f) is f, tf.experimental.unregister_dispatch_for(f)]))(lambda x, name=None: x),
    )
)
