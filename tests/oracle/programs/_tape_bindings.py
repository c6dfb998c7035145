"""How a value is bound in a function: as an argument, in a structure, as a capture, through other functions.

A *binding* takes `tf`, a function of a value, the value, and another value of the kind. It returns a callable that takes
the value, and passes the value on.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import tempfile
from collections.abc import Callable
from typing import Any

Named = collections.namedtuple("Named", ["value", "scale"])


@dataclasses.dataclass
class Holder:
    """A dataclass that `tf.nest` takes apart."""

    value: Any
    scale: int

    def __tf_flatten__(self):
        return (self.scale,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


def is_true(tf):
    """A condition that is not known while tracing."""
    return tf.random.uniform([]) < 2.0


Binding = Callable[[Any, Callable[..., Any], Any, Any], Callable[[Any], Any]]


def _added(tf: Any, *structures: Any) -> Any:
    def add(*parts: Any) -> Any:
        if any(part is None for part in parts):
            return None if all(part is None for part in parts) else tf.constant(-1000.0)
        parts = [tf.convert_to_tensor(p) if isinstance(p, tf.IndexedSlices) else p for p in parts]
        return functools.reduce(lambda a, b: a + b, parts)

    return tf.nest.map_structure(add, *structures)


def _argument(tf, f, value, other):
    return tf.function(f)


def _plain(tf, f, value, other):
    return tf.function(f, autograph=False)


def _compiled(tf, f, value, other):
    return tf.function(f, jit_compile=True)


def _in_list(tf, f, value, other):
    g = tf.function(lambda vs: f(vs[1][0]))
    return lambda v: g([1, [v]])


def _in_dict(tf, f, value, other):
    g = tf.function(lambda d: f(d["a"]["b"]))
    return lambda v: g({"a": {"b": v, "c": tf.constant(1.0)}})


def _keyword(tf, f, value, other):
    g = tf.function(lambda *, v: f(v))
    return lambda v: g(v=v)


def _varargs(tf, f, value, other):
    g = tf.function(lambda *vs, **kw: f(kw["v"]))
    return lambda v: g(other, v=v)


def _named(tf, f, value, other):
    g = tf.function(lambda n: f(n.value))
    return lambda v: g(Named(v, 1))


def _dataclass(tf, f, value, other):
    g = tf.function(lambda n: f(n.value))
    return lambda v: g(Holder(v, 1))


def _default(tf, f, value, other):
    g = tf.function(lambda v=value: f(v))
    return lambda v: g()


def _partial(tf, f, value, other):
    return tf.function(functools.partial(lambda a, v: f(v), 1.0))


def _bound_partial(tf, f, value, other):
    g = tf.function(functools.partial(f, value))
    return lambda v: g()


def _method(tf, f, value, other):
    class Step:
        @tf.function
        def __call__(self, v):
            return f(v)

    return Step()


def _attribute(tf, f, value, other):
    class Step:
        def __init__(self, v):
            self.v = v

        @tf.function
        def __call__(self):
            return f(self.v)

    return lambda v: Step(v)()


def _capture(tf, f, value, other):
    g = tf.function(lambda: f(value))
    return lambda v: g()


def _both(tf, f, value, other):
    return tf.function(lambda v: _added(tf, f(v), f(value)))


def _capture_first(tf, f, value, other):
    return tf.function(lambda v: _added(tf, f(value), f(v)))


def _twice(tf, f, value, other):
    g = tf.function(lambda a, b: _added(tf, f(a), f(b)))
    return lambda v: g(v, v)


def _second_of_two(tf, f, value, other):
    g = tf.function(lambda a, b: f(b))
    return lambda v: g(other, v)


def _after_another(tf, f, value, other):
    g = tf.function(f)

    def run(v):
        g(other)
        return g(v)

    return run


def _nested(tf, f, value, other):
    inner = tf.function(f)
    return tf.function(lambda v: inner(v))


def _nested_after_another(tf, f, value, other):
    inner = tf.function(f)

    def run(v):
        inner(other)
        return tf.function(lambda a, b: inner(b))(other, v)

    return run


def _nested_closure(tf, f, value, other):
    def outer(v):
        inner = tf.function(lambda: f(v))
        return inner()

    return tf.function(outer)


def _concrete(tf, f, value, other):
    return tf.function(f).get_concrete_function(value)


def _concrete_of_another(tf, f, value, other):
    return tf.function(f).get_concrete_function(other)


def _nested_concrete(tf, f, value, other):
    inner = tf.function(f).get_concrete_function(other)
    return tf.function(lambda v: inner(v))


def _signature(tf, f, value, other):
    return tf.function(f, input_signature=[tf.type_spec_from_value(value)])


def _tensor_signature(tf, f, value, other):
    return tf.function(f, input_signature=[tf.TensorSpec(value.shape, value.dtype)])


def _relaxed(tf, f, value, other):
    return tf.function(f, reduce_retracing=True)


def _loaded(tf, f, value, other):
    module = tf.Module()
    module.f = tf.function(f, input_signature=[tf.TensorSpec(value.shape, value.dtype)])
    return _load(tf, module).f


def _loaded_concrete(tf, f, value, other):
    module = tf.Module()
    module.f = tf.function(f)
    module.f.get_concrete_function(value)
    return _load(tf, module).f


def _load(tf, module):
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, os.path.join(folder, "saved"))
        return tf.saved_model.load(os.path.join(folder, "saved"))


def _dataset(tf, f, value, other):
    return lambda v: next(iter(tf.data.Dataset.range(1).map(lambda _: f(v))))


def _element(tf, f, value, other):
    return lambda v: next(iter(tf.data.Dataset.from_tensors(v).map(f)))


def _dataset_in_function(tf, f, value, other):
    def total(v):
        return tf.data.Dataset.range(2).map(lambda _: f(v)).reduce(0.0, lambda a, b: a + b)

    return tf.function(total)


def _map_fn(tf, f, value, other):
    def mapped(v):
        return tf.map_fn(lambda x: x * f(v), tf.constant([1.0, 2.0]))[1]

    return tf.function(mapped)


def _mapped_argument(tf, f, value, other):
    return tf.function(lambda v: tf.map_fn(f, tf.stack([v, v]))[0])


def _vectorized(tf, f, value, other):
    def mapped(v):
        return tf.vectorized_map(lambda x: x * f(v), tf.constant([1.0, 2.0]))[1]

    return tf.function(mapped)


def _cond(tf, f, value, other):
    return tf.function(lambda v: tf.cond(is_true(tf), lambda: f(v), lambda: _added(tf, f(v), f(v))), autograph=False)


def _switch(tf, f, value, other):
    def picked(v):
        return tf.switch_case(tf.cast(tf.random.uniform([]) < 2.0, tf.int32), [lambda: f(other), lambda: f(v)])

    return tf.function(picked, autograph=False)


def _while(tf, f, value, other):
    def looped(v):
        def body(i, last):
            return i + 1, f(v)

        return tf.while_loop(lambda i, _: i < 2, body, [0, f(v)])[1]

    return tf.function(looped, autograph=False)


def _statement(tf, f, value, other):
    def looped(v):
        found = f(v)
        for _ in tf.range(2):
            if tf.random.uniform([]) < 2.0:
                found = f(v)
        return found

    return tf.function(looped)


def _py_function(tf, f, value, other):
    return tf.function(lambda v: tf.py_function(lambda: f(v), [], tf.float32))


def _py_argument(tf, f, value, other):
    return tf.function(lambda v: tf.py_function(f, [v], tf.float32))


def _graph_in_function(tf, f, value, other):
    wrapped = tf.compat.v1.wrap_function(lambda: f(value), [])
    return lambda v: wrapped()


BINDINGS: dict[str, Binding] = {
    "argument": _argument,
    "plain": _plain,
    "compiled": _compiled,
    "in_list": _in_list,
    "in_dict": _in_dict,
    "keyword": _keyword,
    "varargs": _varargs,
    "named": _named,
    "dataclass": _dataclass,
    "default": _default,
    "partial": _partial,
    "bound_partial": _bound_partial,
    "method": _method,
    "attribute": _attribute,
    "capture": _capture,
    "both": _both,
    "capture_first": _capture_first,
    "twice": _twice,
    "second_of_two": _second_of_two,
    "after_another": _after_another,
    "nested": _nested,
    "nested_after_another": _nested_after_another,
    "nested_closure": _nested_closure,
    "concrete": _concrete,
    "concrete_of_another": _concrete_of_another,
    "nested_concrete": _nested_concrete,
    "signature": _signature,
    "tensor_signature": _tensor_signature,
    "relaxed": _relaxed,
    "loaded": _loaded,
    "loaded_concrete": _loaded_concrete,
    "dataset": _dataset,
    "element": _element,
    "dataset_in_function": _dataset_in_function,
    "map_fn": _map_fn,
    "mapped_argument": _mapped_argument,
    "vectorized": _vectorized,
    "cond": _cond,
    "switch": _switch,
    "while": _while,
    "statement": _statement,
    "py_function": _py_function,
    "py_argument": _py_argument,
    "wrapped": _graph_in_function,
}
